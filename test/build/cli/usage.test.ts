import { describe, expect, test } from 'vitest';
import { version } from '../../../src/shared/version.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';
import { run } from './cli.ts';

test('prints its version, and lists its command', async () => {
  expect(await run(['--version'])).toEqual({ status: 0, out: `${version}\n`, err: '' });
  const { status, out } = await run(['--help']);
  expect(status).toBe(0);
  expect(out).toContain('\n  serve   ');
});

test.each(['--help', '-h'])('prints the help of serve for %s', async (option) => {
  const { status, out } = await run(['serve', option]);
  expect(status).toBe(0);
  expect(out).toMatch(/^Usage: astro-articles serve /);
  expect(out.split('\n').every((line) => line.length <= 104)).toBe(true);
});

describe('wrong usage exits with 2 and a hint', () => {
  test.each([
    [[], 'A command is missing.', 'Commands:'],
    [['serv'], 'Unknown command `serv`.', 'Commands:'],
    [['serve', '--nonsense'], "Unknown option '--nonsense'.", '--port <number>'],
    [['serve', '--port'], "Option '--port <value>' argument missing.", '--port <number>'],
    [
      ['serve', '/no/such/folder'],
      'astro-articles serve: The folder /no/such/folder does not exist.',
      'Check the path',
    ],
    [['serve', process.execPath], `${process.execPath} is not a folder.`, 'Check the path'],
    [['serve', 'a', 'b'], 'serve: It takes one [folder].', '--port <number>'],
    [['serve', '--port', '65536'], 'Port 65536 cannot be used', 'or --port 0'],
  ])('%j', async (args, problem, hint) => {
    const { status, out, err } = await run(args, { cwd: await temporaryFolder() });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(problem);
    expect(err).toContain(hint);
  });

  test('a key on the command line is not repeated', async () => {
    for (const args of [
      ['serve', '--api-key=not-a-secret'],
      ['serve', '--api-key', 'not-a-secret'],
    ]) {
      const { status, err } = await run(args);
      expect(status).toBe(2);
      expect(err).not.toContain('not-a-secret');
    }
  });
});
