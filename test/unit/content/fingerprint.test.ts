import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { changedInput, siteFingerprint } from '../../../src/content/fingerprint.ts';
import { findPackages } from '../../../src/content/installed-packages.ts';
import { environmentPlace, siteAt } from '../../../src/content/site-state.ts';
import { readEnvironment } from '../../../src/options/environment.ts';
import { runs } from '../../helpers/runs.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

type Texts = Readonly<Record<string, string>>;

const base: Texts = {
  'package-lock.json': '{}',
  'astro.config.ts': 'export default {};',
  'src/content.config.ts': 'export const collections = {};',
};
const withPlugins = { remarkPlugins: [() => undefined] };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function write(root: string, files: Texts): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

/** What shapes the fingerprint of a site besides its files. */
interface Settings {
  markdown?: object;
  /** The options that shape renderings. */
  options?: object;
  /** The variables that `env` of astro.config declares. */
  schema?: object;
  srcDir?: string;
}

function fingerprintAt(
  root: string,
  { markdown = withPlugins, options = {}, schema = {}, srcDir = 'src' }: Settings = {},
) {
  const url = (path: string) => pathToFileURL(join(root, path, '/'));
  const folders = { srcDir: url(srcDir), outDir: url('dist') };
  const config = { root: url('.'), ...folders, markdown, image: {}, env: { schema } };
  return fingerprintOf(config as unknown as AstroConfig, options);
}

/** Returns the fingerprint of a site, as a load reads it. */
function fingerprintOf(config: AstroConfig, options = {}, how = {}) {
  const environment = readEnvironment(environmentPlace(config.root));
  return siteFingerprint(config, options, { environment, packages: findPackages(config), ...how });
}

/** Returns the fingerprint of a new site, which this process has not read before. */
async function fingerprint(files: Texts, settings?: Settings) {
  const root = await temporaryFolder();
  await write(root, { ...base, ...files });
  return fingerprintAt(root, settings);
}

const uncounted = [
  ...[
    'node_modules/a/index.js',
    'src/node_modules/a/index.js',
    'dist/index.js',
    'public/data.json',
  ],
  ...['plugins/a.ts', '../packages/a/index.js', 'src/content/a.json', 'src/content/posts/a.ts'],
  ...['src/types.d.ts', 'src/pages/index.astro', 'src/pages/a.md', 'src/style.css', 'src/list'],
  ...['.env', '.env.production', 'build.log', 'README.md'],
];

test.each<[string, paths: readonly string[], named: string | undefined]>([
  ['content, types, pages, styles and other folders do not count', uncounted, undefined],
  ['a lock file above the site counts', ['../pnpm-lock.yaml'], '../pnpm-lock.yaml'],
])('%s', async (_, paths, named) => {
  const read = async (text: string) => {
    const root = join(await temporaryFolder(), 'site');
    await write(root, { ...base, ...Object.fromEntries(paths.map((path) => [path, text])) });
    return fingerprintAt(root);
  };
  const [before, same, after] = [await read('a'), await read('a'), await read('b')];
  expect(same).toEqual(before);
  expect(changedInput(before.inputs, after.inputs)).toBe(named && `\`${named}\``);
  expect(before.rendering === after.rendering).toBe(named === undefined);
  expect(before.entries === after.entries).toBe(named === undefined);
});

test('a site whose folder of sources is its root has code in all of its folders', async () => {
  const root = await temporaryFolder();
  await write(root, { ...base, 'plugins/a.ts': 'a' });
  const { code } = await fingerprintAt(root, { srcDir: '.' });
  expect(code.map((line) => line.split('`')[1])).toEqual([
    'astro.config.ts',
    'package-lock.json',
    'plugins/a.ts',
    'src/content.config.ts',
  ]);
});

test('a change of a file changes the fingerprint, and is named', async () => {
  const folders = ['', 'src/', 'src/a b/', 'src/deep/er/', 'src/public/'];
  const names = ['a.ts', 'b.json', 'c.cjs', 'd.tsx', 'e.content.mts', 'ü.mjs'];
  const path = fc.tuple(fc.constantFrom(...folders), fc.constantFrom(...names));
  const files = fc.dictionary(
    path.map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
    { minKeys: 1, maxKeys: 5 },
  );
  let changes = 0;
  const property = fc.asyncProperty(files, fc.nat(), fc.string(), async (before, nth, text) => {
    const changed = Object.keys(before)[nth % Object.keys(before).length] ?? '';
    const { [changed]: old, ...others } = before;
    if (old === text) return;
    changes += 1;
    const known = await fingerprint(before);
    expect(await fingerprint(before)).toEqual(known);
    for (const after of [{ ...before, [changed]: text }, others]) {
      const current = await fingerprint(after);
      expect(current.rendering).not.toBe(known.rendering);
      expect(current.entries).not.toBe(known.entries);
      expect(changedInput(known.inputs, current.inputs)).toBe(`\`${changed}\``);
      expect(changedInput(current.inputs, known.inputs)).toBe(`\`${changed}\``);
    }
  });
  await fc.assert(property, runs(15));
  expect(changes).toBeGreaterThan(runs(10).numRuns);
});

test('renderings count no value of a variable, and entries those that .env or astro.config names', async () => {
  const name = fc.stringMatching(/^T_[A-Z0-9_]{1,9}$/);
  const value = fc.stringMatching(/^[a-z0-9]{1,9}$/);
  const places = fc.constantFrom('.env', '.env.local', '.env.production', 'astro.config', 'code');
  let checks = 0;
  const property = fc.asyncProperty(
    name,
    value,
    value,
    places,
    async (variable, one, two, place) => {
      fc.pre(one !== two);
      const isNamed = place !== 'code';
      const files = {
        'src/a.mjs': `export default process.env.${variable};`,
        ...(place.startsWith('.env') && { [place]: `# A comment\nexport ${variable}=from-file\n` }),
      };
      const schema = place === 'astro.config' ? { [variable]: {} } : {};
      const read = (text: string) => {
        vi.stubEnv(variable, text);
        return fingerprint(files, { schema });
      };
      const [before, same, after] = [await read(one), await read(one), await read(two)];
      vi.unstubAllEnvs();
      checks += 1;
      expect(same).toEqual(before);
      expect({ ...after, entries: '' }).toEqual({ ...before, entries: '' });
      expect(after.entries !== before.entries).toBe(isNamed);
    },
  );
  await fc.assert(property, runs(12));
  expect(checks).toBeGreaterThan(runs(8).numRuns);
});

test('a value in .env counts for entries', async () => {
  const read = (value: string) => fingerprint({ '.env': `T_BRAND=${value}\n` });
  const [before, after] = [await read('north'), await read('south')];
  expect({ ...after, entries: '' }).toEqual({ ...before, entries: '' });
  expect(after.entries).not.toBe(before.entries);
});

test('without plugins, renderings depend on settings, options and the lock file', async () => {
  const langs = (last: string) => ({
    markdown: { shikiConfig: { langs: [...'ab'.repeat(500), last] } },
  });
  const first = await fingerprint({}, langs('a'));
  const edited = await fingerprint({ 'astro.config.ts': 'export default { };' }, langs('a'));
  expect({ ...edited, entries: '', code: [] }).toEqual({ ...first, entries: '', code: [] });
  expect(edited.entries).not.toBe(first.entries);
  const others = [
    await fingerprint({}, langs('b')),
    await fingerprint({}, { ...langs('a'), options: { links: 'site' } }),
    await fingerprint({}, { ...langs('a'), options: { sanitize: { tags: new Set(['b']) } } }),
    await fingerprint({}, { ...langs('a'), options: { sanitize: { tags: new Set(['i']) } } }),
    await fingerprint({ 'package-lock.json': '{ }' }, langs('a')),
  ];
  const names = [first, ...others].map(({ rendering }) => rendering);
  expect(new Set(names).size).toBe(names.length);
  expect(others.map(({ inputs }) => changedInput(first.inputs, inputs))).toEqual([
    'the settings of Markdown or images',
    ...Array.from({ length: 3 }, () => 'the options of rendering'),
    '`package-lock.json`',
  ]);
});

test('entries depend on the mode, the time zone, the language and flags; plugins on all but flags', async () => {
  const root = await temporaryFolder();
  await write(root, base);
  const run = { mode: 'production', env: 'test', zone: 'UTC', locale: 'en-US', flags: [''] };
  const read = (change: Partial<typeof run>, settings?: Settings) => {
    const { mode, env, zone, locale, flags } = { ...run, ...change };
    const integration = { options: {}, redirects: false, mode };
    siteAt(pathToFileURL(join(root, '/'))).integration = integration;
    vi.stubEnv('NODE_ENV', env);
    vi.stubEnv('TZ', zone);
    // Node reads the language of the process only when it starts.
    const settingsOfRun = { ...Intl.DateTimeFormat().resolvedOptions(), locale };
    vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValueOnce(settingsOfRun);
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'astro', 'build', ...flags]);
    return fingerprintAt(root, settings);
  };
  const changes = [
    {},
    { flags: ['--devOutput'] },
    { mode: 'staging' },
    { env: 'production' },
    { zone: 'Asia/Tokyo' },
    { locale: 'de-DE' },
  ];
  const all = [];
  for (const change of changes) all.push(await read(change));
  expect(await read({})).toEqual(all[0]);
  expect(new Set(all.map(({ entries }) => entries)).size).toBe(all.length);
  const [usual, flags, ...others] = all.map(({ rendering }) => rendering);
  expect(flags).toBe(usual);
  expect(new Set([usual, ...others]).size).toBe(1 + others.length);
  const withoutPlugins = { markdown: {} };
  const plain = await read({}, withoutPlugins);
  for (const change of changes)
    expect((await read(change, withoutPlugins)).rendering).toBe(plain.rendering);
});

test('a site behind a link has the fingerprint of its real folder, without its output', async () => {
  const root = await temporaryFolder();
  await write(root, { ...base, 'src/a.ts': 'export {};' });
  await symlink(root, `${root}-again`);
  const before = await fingerprintAt(root);
  await write(root, { 'dist/new.js': '', 'public/new.json': '' });
  expect(await fingerprintAt(`${root}-again`)).toEqual(before);
});

test('without a lock file, two processes have the same fingerprint', async () => {
  const root = await temporaryFolder();
  await write(root, { 'astro.config.ts': '' });
  await symlink(root, `${root}-again`);
  expect(await fingerprintAt(`${root}-again`)).toEqual(await fingerprintAt(root));
});

test('a process keeps its first hash of renderings, and a later build has another of entries', async () => {
  const root = await temporaryFolder();
  await write(root, base);
  const first = await fingerprintAt(root);
  const config = siteAt(pathToFileURL(join(root, '/'))).inputs?.config;
  await write(root, { 'astro.config.ts': 'edited' });
  expect(config && (await fingerprintOf(config))).toEqual(first);
  const again = config && (await fingerprintOf(config, {}, { readsAgain: true }));
  expect(again).toMatchObject({ rendering: first.rendering, inputs: first.inputs });
  expect(again?.code).not.toEqual(first.code);
  const later = await fingerprintAt(root);
  expect(later.entries).not.toBe(first.entries);
  expect({ ...later, entries: '', code: [] }).toEqual({ ...first, entries: '', code: [] });
  const gfm = config && { ...config, markdown: { gfm: false } as never };
  const other = gfm && (await fingerprintOf(gfm));
  expect(other?.rendering).not.toBe(first.rendering);
});
