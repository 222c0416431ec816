import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '../helpers/readme.ts';

// `npm run new`, as in a clone, without its build. It installs the packages of the template.

const run = promisify(execFile);
const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
const env = { ...process.env, PATH: path, NODE_ENV: undefined, ASTRO_TELEMETRY_DISABLED: '1' };

async function createNew(folder: string): Promise<string> {
  const agent = `npm/11.0.0 node/${process.version}`;
  const script = join(root, 'templates/new-site.ts');
  const { stdout } = await run(process.execPath, [script, 'my site'], {
    cwd: root,
    env: { ...env, npm_config_user_agent: agent, INIT_CWD: folder },
  });
  return stdout;
}

describe('a new site', () => {
  let folder: string;
  let site: string;
  let printed: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'new-site-'));
    site = join(folder, 'my site');
    printed = await createNew(folder);
    return () => rm(folder, { recursive: true, force: true });
  });

  it('builds, with the package as a file in its folder', async () => {
    expect(printed).toContain('  cd my site\n  npm run dev\n');
    const manifest = JSON.parse(await readFile(join(site, 'package.json'), 'utf8'));
    const [tarball] = (await readdir(site)).filter((name) => name.endsWith('.tgz'));
    expect(manifest.dependencies['astro-articles']).toBe(`file:${tarball}`);
    expect(manifest.devDependencies).not.toHaveProperty('node');
    const { stdout } = await run('npm', ['run', 'build'], { cwd: site, env });
    expect(stdout).toMatch(/4 articles shown\b.*: 4 added/);
    expect(await readdir(join(site, 'dist'))).toContain('pagefind');
  });

  it('is not written into a folder that has files', async () => {
    await expect(createNew(folder)).rejects.toMatchObject({
      stderr: expect.stringContaining(`The folder ${site} is not empty.`),
    });
  });
});
