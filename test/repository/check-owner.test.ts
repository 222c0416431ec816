import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../helpers/readme.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

test('a release with the placeholder for its owner fails, and names the files', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'package'));
  const check = async (owner: string) => {
    const url = `https://github.com/${owner}/astro-articles`;
    await writeFile(join(folder, 'package/package.json'), JSON.stringify({ bugs: { url } }));
    const tarball = join(folder, 'package.tgz');
    spawnSync('tar', ['-czf', tarball, '-C', folder, 'package']);
    const script = join(root, '.github/check-owner.sh');
    const { status, stderr } = spawnSync(script, [tarball], { encoding: 'utf8' });
    return { status, stderr };
  };
  expect(await check('OWNER')).toEqual({
    status: 1,
    stderr: expect.stringContaining('./package/package.json'),
  });
  expect(await check('a-real-account')).toEqual({ status: 0, stderr: '' });
});
