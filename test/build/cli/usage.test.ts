import { describe, expect, test } from 'vitest';
import { version } from '../../../src/shared/version.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';
import { run } from './cli.ts';

const commands = ['check', 'serve'];

test('prints its version, and lists its commands', async () => {
  expect(await run(['--version'])).toEqual({ status: 0, out: `${version}\n`, err: '' });
  const { status, out } = await run(['--help']);
  expect(status).toBe(0);
  for (const command of commands) expect(out).toContain(`\n  ${command}   `);
});

test.each(commands)('prints the help of %s', async (command) => {
  const { status, out } = await run([command, '--help']);
  expect(status).toBe(0);
  expect(out).toMatch(new RegExp(`^Usage: astro-articles ${command} `));
  expect(out.split('\n').every((line) => line.length <= 104)).toBe(true);
});

test('check says that Astro needs a newer Node', async () => {
  const versions = "{ value: { ...process.versions, node: '20.19.0' } }";
  const old = `--import=data:text/javascript,${encodeURIComponent(`Object.defineProperty(process, 'versions', ${versions})`)}`;
  const { status, err } = await run(['check'], { env: { NODE_OPTIONS: old } });
  expect({ status, err }).toEqual({ status: 2, err: expect.stringMatching(/20\.19\.0.*22\.13/s) });
});

describe('wrong usage exits with 2 and a hint', () => {
  test.each([
    [[], 'A command is missing.', 'Commands:'],
    [['chek'], 'Unknown command `chek`.', 'Commands:'],
    [['check', '--nonsense'], "Unknown option '--nonsense'.", '--root <folder>'],
    [['check', 'words'], 'check: It takes options only.', '--root <folder>'],
    [['check', '--root'], "Option '--root <value>' argument missing.", '--root <folder>'],
    [
      ['check', '--root', '/no/such/folder'],
      'astro-articles check: The folder /no/such/folder does not exist.',
      'Check the path',
    ],
    [['serve', process.execPath], `${process.execPath} is not a folder.`, 'Check the path'],
    [['serve', 'a', 'b'], 'serve: It takes one [folder].', '--port <number>'],
    [['serve', '--port', '65536'], 'Port 65536 cannot be used', 'or --port 0'],
    [['check'], 'contains no Astro project.', 'or name it with --root'],
  ])('%j', async (args, problem, hint) => {
    const { status, out, err } = await run(args, { cwd: await temporaryFolder() });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(problem);
    expect(err).toContain(hint);
  });

  test('a key on the command line is not repeated', async () => {
    for (const args of [
      ['check', '--api-key=not-a-secret'],
      ['check', '--key', 'not-a-secret'],
      ['serve', '--api-key', 'not-a-secret'],
      ['check', 'not-a-secret'],
    ]) {
      const { status, err } = await run(args);
      expect(status).toBe(2);
      expect(err).not.toContain('not-a-secret');
    }
  });
});
