import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { nearest } from '../../src/content/installed-packages.ts';
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

const managers = {
  npm: { install: ['npm', 'install', '--no-audit', '--no-fund'] },
  pnpm: { from: 'pnpm@10', install: ['pnpm', 'install', '--no-frozen-lockfile'], isStrict: true },
  bun: { from: 'bun@1', install: ['bun', 'install'] },
} satisfies Record<string, Manager>;

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
const tried = Object.entries<Manager>(managers).filter(([name]) => isLong || name === 'pnpm');

test.each(tried)(
  'the quick start builds after an install with %s',
  async (name, { from, install, isStrict = false }) => {
    const astro = JSON.parse(await readFile(join(root, 'node_modules/astro/package.json'), 'utf8'));
    const site = await createQuickStart(name, astro.version);
    const command = from ? ['npx', '--yes', `--package=${from}`, '--', ...install] : install;

    await site.install(command);
    if (isStrict) {
      await expect(site.build()).rejects.toMatchObject({
        stderr: expect.stringContaining('Please install Sharp'),
      });
      await site.install(command, { dependencies: { sharp: astro.optionalDependencies.sharp } });
    }
    const { stdout } = await site.build();
    expect(stdout).toContain(`${service.articles.length} articles shown: `);
    const pages = await readdir(join(site.root, 'dist/articles'));
    expect(pages).toHaveLength(service.articles.length);
  },
);

test('with the oldest Astro, images are decoded with a new sharp, and the line of the notices replaces the old one', async () => {
  const { peerDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const [oldest = ''] = /[\d.]+/.exec(peerDependencies.astro) ?? [];
  const site = await createQuickStart('oldest', oldest);
  const sharpIn = async (importer: string): Promise<string> => {
    const path = nearest(join(site.root, importer), 'node_modules/sharp/package.json') ?? '';
    return JSON.parse(await readFile(path, 'utf8')).version;
  };
  const ofDecoder = () => sharpIn('node_modules/astro-articles/dist/images');
  const ofBuild = () => sharpIn('dist');
  const noticed = /Cover \S+\.(?:avif|gif) of .*Add `(.*?)` to package\.json/g;
  const refused = service.articles.filter((each) => /avif|gif/.test(String(each.cover_image)));

  await site.install(managers.npm.install);
  expect(await ofDecoder()).toMatch(/^0\.35\.(?:[5-9]|\d\d)/);
  expect(await ofBuild()).toMatch(/^0\.34\./);
  const old = await site.build();
  const notices = [...old.stdout.matchAll(noticed)];
  expect(notices).toHaveLength(refused.length);

  const [[, line] = []] = notices;
  await site.install(managers.npm.install, JSON.parse(`{${line}}`));
  expect(await ofBuild()).toBe(await ofDecoder());
  const now = await site.build();
  expect(now.stdout).not.toMatch(noticed);
  const pictures = (output: string) => output.split('▶ /_astro/').length;
  expect(pictures(now.stdout)).toBeGreaterThan(pictures(old.stdout));
});

/** Creates the site of the quick start in a folder of its own. */
async function createQuickStart(name: string, astro: string) {
  const site = join(folder, name);
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(site, path)), { recursive: true });
    await writeFile(join(site, path), text);
  };
  const { '.env': _, ...shown } = filesOf('README.md');
  for (const [path, text] of Object.entries(shown)) await write(path, text);
  return {
    root: site,
    /** Installs the packages of the site, with more fields in its package.json. */
    async install(words: readonly string[], more: { dependencies?: object } = {}) {
      const [command = '', ...args] = words;
      const dependencies = { astro, 'astro-articles': `file:${tarball}`, ...more.dependencies };
      const base = { name: 'site', private: true, type: 'module' };
      await write('package.json', JSON.stringify({ ...base, ...more, dependencies }));
      await run(command, args, { cwd: site, env });
    },
    // The launcher, because that of pnpm sets NODE_PATH.
    build: () => run(join(site, 'node_modules/.bin/astro'), ['build'], { cwd: site, env }),
  };
}
