import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { serveFolder } from '../../../src/serve/index.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

test('serves each folder on a port of its own, and frees the port of a closed one', async () => {
  const folder = await temporaryFolder();
  const [one, two] = [await serveFolder(folder), await serveFolder(folder)];
  onTestFinished(() => Promise.all([one.close(), two.close()]).then(() => undefined));
  expect(one.url).not.toBe(two.url);
  // Its default port is in use now, by it or by another program.
  await expect(serveFolder(folder, { port: 4380 })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect((await fetch(one.url)).status).toBe(404);
  const ended = await serveFolder(folder);
  await ended.close();
  await expect(fetch(ended.url)).rejects.toThrow();
  const { port } = new URL(one.url);
  await expect(serveFolder(folder, { port: Number(port) })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

test.each([
  ['does not exist', 'nothing', 'ENOENT'],
  ['is a file', 'file.md', 'ENOTDIR'],
])('a path that %s is an error', async (_, name, code) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'file.md'), 'Text.');
  await expect(serveFolder(join(folder, name))).rejects.toMatchObject({ code });
});

test('a process ends while it serves, if that may not keep it', async () => {
  const folder = await temporaryFolder();
  const module = new URL('../../../src/serve/index.ts', import.meta.url);
  const code = `import { serveFolder } from '${module}';
    const { url, unref } = await serveFolder(${JSON.stringify(folder)}, { port: 0 });
    unref();
    console.log(url);`;
  const args = ['--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
});
