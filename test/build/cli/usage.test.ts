import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { version } from '../../../src/shared/version.ts';
import { emptyFolder, run } from './cli.ts';

const commands = ['check', 'sync', 'serve'];

it('is the bin of the package, and starts with a line that says what runs it', () => {
  const manifest = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  expect(manifest.bin).toEqual({ 'astro-articles': 'dist/cli/main.js' });
  const text = readFileSync(new URL('../../../dist/cli/main.js', import.meta.url), 'utf8');
  expect(text.startsWith('#!/usr/bin/env node\n')).toBe(true);
});

it('tells its version', async () => {
  expect(await run(['--version'])).toEqual({ status: 0, out: `${version}\n`, err: '' });
});

it('tells what commands there are', async () => {
  expect(await run(['--help'])).toMatchInlineSnapshot(`
    {
      "err": "",
      "out": "Usage: astro-articles <command> [options]

    Commands:
      check   Asks the service what its contract leaves open, and says which options suit it
      sync    Brings a site's mirror up to date without building it
      serve   Serves a folder of Markdown files as the service, to work without network or key

    Options:
      --help     Shows this, or with a command what that command takes
      --version  Shows the version

    Exit codes: 0 all is well, 1 something failed or was found wrong, 2 the command was used wrongly.
    ",
      "status": 0,
    }
  `);
});

it.each(commands)('explains %s, every option of it', async (command) => {
  const { status, out } = await run([command, '--help']);
  expect(status).toBe(0);
  expect(out).toMatch(new RegExp(`^Usage: astro-articles ${command} `));
  const { err } = await run([command, '--nonsense']);
  for (const option of err.match(/--[a-z-]+(?=[,;])/g) ?? []) expect(out).toContain(`  ${option}`);
  expect(out.split('\n').every((line) => line.length <= 104)).toBe(true);
});

describe('wrong usage ends with 2, and says what to do', () => {
  it.each([
    [[], 'A command is missing.', 'Commands:'],
    [['nonsense'], 'There is no such command.', 'Commands:'],
    [['check', '--nonsense'], "Unknown option '--nonsense'.", 'Options are --root, --base-url'],
    [['check', 'words'], 'Only options are taken.', 'Options are --root'],
    [['sync', '--collection', '../up'], '--collection takes the name of a collection.', 'key of'],
    [
      ['sync', '--root', '/no/such/folder'],
      '--root: there is no folder /no/such/folder.',
      'exists',
    ],
    [['serve', '/no/such/folder'], 'serve: there is no folder /no/such/folder.', 'exists'],
    [['serve', 'a', 'b'], 'One folder is enough.', 'Options are --port'],
    [['serve', '--port', '65536'], '--port takes a whole number from 0 to 65535', 'Leave it out'],
    [['check', '--requests', '0'], '--requests takes a whole number from 1 to 1000', 'for 30'],
    [['check', '--requests'], "Option '--requests <value>' argument missing.", 'Options are'],
    [['check'], 'The address of the service is not set.', 'ARTICLES_BASE_URL=…'],
    [['sync'], 'The address of the service is not set.', 'ARTICLES_BASE_URL=…'],
    [['check', '--base-url', 'http://a.example'], '`baseUrl` is plain http', 'Use https'],
  ])('%j', async (args, problem, hint) => {
    const { status, out, err } = await run(args, {
      cwd: await emptyFolder(),
      ...(args.length > 1 ? { env: { ARTICLES_API_KEY: 'a-key-of-a-test' } } : {}),
    });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(problem);
    expect(err).toContain(hint);
  });

  it('with the key on the command line, which is not repeated', async () => {
    for (const args of [
      ['check', '--api-key=not-a-secret'],
      ['check', '--key', 'not-a-secret'],
      ['sync', '--api-key', 'not-a-secret'],
      ['check', 'not-a-secret'],
    ]) {
      const { status, err } = await run(args);
      expect(status).toBe(2);
      expect(err).not.toContain('not-a-secret');
    }
    expect((await run(['check', '--api-key=not-a-secret'])).err).toContain(
      'put ARTICLES_API_KEY=…',
    );
  });
});
