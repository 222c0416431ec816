import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { filesOf, root } from '../helpers/readme.ts';
import { runs } from '../helpers/runs.ts';
import { useService } from '../helpers/use-service.ts';

// The quick start of the README, installed from the packed tarball, outside of this repository.

const run = promisify(execFile);

interface Manager {
  /** The package of the package manager, which npx fetches; undefined for npm. */
  from?: string;
  install: string[];
  /** Whether the site can import only its own dependencies, so it needs to install sharp. */
  isStrict?: boolean;
}

const managers: Record<string, Manager> = {
  npm: { install: ['npm', 'install', '--no-audit', '--no-fund'] },
  pnpm: { from: 'pnpm@10', install: ['pnpm', 'install', '--no-frozen-lockfile'], isStrict: true },
  bun: { from: 'bun@1', install: ['bun', 'install'] },
};

const service = await useService();
let folder: string;
let tarball: string;
let env: Record<string, string | undefined>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'managers-'));
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: folder });
  const registry = stdout.trim();
  env = {
    // A proxy and its certificates may be named there.
    ...process.env,
    NODE_ENV: undefined,
    PATH: path,
    CI: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
    NO_COLOR: '1',
    npm_config_registry: registry,
    ...service.env,
  };
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root, env });
  const [name = ''] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
  tarball = join(folder, name);
  return () => rm(folder, { recursive: true, force: true });
});

// pnpm differs most from npm. `TEST_SCALE` includes all package managers.
const isLong = runs(1).numRuns > 1;
const tried = Object.entries(managers).filter(([name]) => isLong || name === 'pnpm');

test.each(tried)(
  'the quick start builds after an install with %s',
  async (name, { from, install, isStrict = false }) => {
    const site = join(folder, name);
    const astro = JSON.parse(await readFile(join(root, 'node_modules/astro/package.json'), 'utf8'));
    const write = async (path: string, text: string) => {
      await mkdir(dirname(join(site, path)), { recursive: true });
      await writeFile(join(site, path), text);
    };
    const writePackage = (more: object = {}) =>
      write(
        'package.json',
        JSON.stringify({
          name: 'site',
          private: true,
          type: 'module',
          dependencies: { astro: astro.version, 'astro-articles': `file:${tarball}`, ...more },
        }),
      );
    const { '.env': _, ...shown } = filesOf('README.md');
    for (const [path, text] of Object.entries(shown)) await write(path, text);
    const [command = '', ...args] = from
      ? ['npx', '--yes', `--package=${from}`, '--', ...install]
      : install;
    const installAll = () => run(command, args, { cwd: site, env });
    // The launcher, because that of pnpm sets NODE_PATH.
    const build = () => run(join(site, 'node_modules/.bin/astro'), ['build'], { cwd: site, env });

    await writePackage();
    await installAll();
    if (isStrict) {
      await expect(build()).rejects.toMatchObject({
        stderr: expect.stringContaining('Please install Sharp'),
      });
      await writePackage({ sharp: astro.optionalDependencies.sharp });
      await installAll();
    }
    const { stdout } = await build();
    expect(stdout).toContain(`${service.articles.length} articles shown: `);
    const pages = await readdir(join(site, 'dist/articles'));
    expect(pages).toHaveLength(service.articles.length);
  },
);
