import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { nearest } from '../../src/content/installed-packages.ts';
import { packageVersion } from '../../src/shared/version.ts';
import { filesOf, root } from '../helpers/readme.ts';
import { isLong } from '../helpers/runs.ts';
import { useService } from '../helpers/use-service.ts';

// Documented sites, installed from the packed tarball, outside of this repository.

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
  await run('.github/pack.sh', [folder], { cwd: root, env });
  const [name = ''] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
  tarball = join(folder, name);
  return () => rm(folder, { recursive: true, force: true });
});

// pnpm differs most from npm. `TEST_SCALE` includes all package managers.
const tried = Object.entries<Manager>(managers).filter(([name]) => isLong || name === 'pnpm');

test.each(tried)(
  'the quick start builds, and the command line starts, after an install with %s',
  async (name, { from, install, isStrict = false }) => {
    const astro = await installedAstro();
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
    expect(await site.countTransformed()).toBeLessThan(25);
    expect(stdout).toContain(`${service.articles.length} articles shown: `);
    const pages = await readdir(join(site.root, 'dist/articles'));
    expect(pages).toHaveLength(service.articles.length);
    // As in a monorepo whose root has the packages of its sites.
    await site.unlist();
    await site.build();
    const program = join(site.root, 'node_modules/.bin/astro-articles');
    const { stdout: printed } = await run(program, ['--version'], { env });
    expect(printed).toBe(`${packageVersion}\n`);
  },
);

test('the published manifest has no fields of development', async () => {
  const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json']);
  expect(Object.keys(JSON.parse(stdout))).toEqual([
    ...['name', 'version', 'description', 'keywords', 'author', 'license', 'type', 'sideEffects'],
    ...[
      'exports',
      'imports',
      'bin',
      'files',
      'dependencies',
      'peerDependencies',
      'peerDependenciesMeta',
    ],
    ...['engines', 'repository', 'homepage', 'bugs'],
  ]);
});

test.runIf(isLong)(
  'with the oldest Astro, images are decoded with a new sharp, and the line of the notices replaces the old one',
  async () => {
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
    expect(await site.countTransformed()).toBeLessThan(25);
    const notices = [...old.stdout.matchAll(noticed)];
    expect(notices).toHaveLength(refused.length);

    const [[, line] = []] = notices;
    await site.install(managers.npm.install, JSON.parse(`{${line}}`));
    expect(await ofBuild()).toBe(await ofDecoder());
    const now = await site.build();
    expect(now.stdout).not.toMatch(noticed);
    const pictures = (output: string) => output.split('▶ /_astro/').length;
    expect(pictures(now.stdout)).toBeGreaterThan(pictures(old.stdout));
  },
);

/** Creates the site of the quick start in a folder of its own. */
async function createQuickStart(name: string, astro: string) {
  const site = join(folder, name);
  const write = writerOf(site);
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
    /** Leaves the installed packages out of package.json. */
    unlist: () => write('package.json', JSON.stringify({ private: true, type: 'module' })),
    /** Returns how many modules of the package Vite transforms when Astro starts. */
    async countTransformed(): Promise<number> {
      const debug = { cwd: site, env: { ...env, DEBUG: 'vite:transform' } };
      const { stdout, stderr } = await run(join(site, 'node_modules/.bin/astro'), ['sync'], debug);
      const count =
        `${stdout}${stderr}`.match(/vite:transform.*astro-articles\/dist\//g)?.length ?? 0;
      expect(count).toBeGreaterThan(0);
      return count;
    },
  };
}

/** Reads the manifest of the Astro of this repository. */
async function installedAstro() {
  return JSON.parse(await readFile(join(root, 'node_modules/astro/package.json'), 'utf8'));
}

function writerOf(folder: string) {
  return async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
}
