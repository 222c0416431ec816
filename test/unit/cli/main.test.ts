import { describe, expect, test } from 'vitest';
import { packageVersion } from '../../../src/shared/version.ts';
import { run } from '../../helpers/command-line.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

test.each(['--version', '-v'])('prints its version for %s', async (option) => {
  expect(await run([option])).toEqual({ status: 0, out: `${packageVersion}\n`, err: '' });
});

test.each(['--help', '-h'])('prints its help for %s', async (option) => {
  const { status, out } = await run([option]);
  expect(status).toBe(0);
  expect(out).toMatch(/^Usage: astro-articles serve /);
});

test.each(['--help', '-h'])('prints the help of serve for %s', async (option) => {
  const { status, out } = await run(['serve', option]);
  expect(status).toBe(0);
  expect(out).toMatch(/^Usage: astro-articles serve /);
  expect(out.split('\n').filter((line) => line.length > 104)).toEqual([]);
});

describe('wrong usage exits with 2 and a hint', () => {
  test.each<[args: string[], problem: string, hint: string]>([
    [[], 'Unknown command ``.', 'Usage:'],
    [['serv'], 'Unknown command `serv`.', 'Usage:'],
    [['serve', '--nonsense'], "Unknown option '--nonsense'.\n", '--port <number>'],
    [['serve', '--port'], "Option '--port <value>' argument missing.", '--port <number>'],
    [
      ['serve', '/no/such/folder'],
      "astro-articles: ENOENT: no such file or directory, realpath '/no/such/folder'",
      'Check the path',
    ],
    [['serve', 'a', 'b'], 'serve takes one folder.', '--port <number>'],
    [['\u001b[31m'], 'Unknown command `\\u{1b}[31m`.', 'Usage:'],
    ...['65536', '80a', ''].map((port): [string[], string, string] => {
      return [['serve', '--port', port], 'options.port', '--port 0'];
    }),
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
