import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { changedInput, siteFingerprint } from '../../../src/content/fingerprint.ts';
import { ignoredIn } from '../../../src/content/site-files.ts';
import { siteAt } from '../../../src/content/site-state.ts';
import { hash } from '../../../src/shared/hash.ts';
import { isLong, runs } from '../../helpers/runs.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

type Texts = Readonly<Record<string, string>>;

/** Parts of a site's folder, by their paths in it. */
interface Parts {
  files?: Texts;
  /** The targets of symbolic links. */
  links?: Texts;
  /** What Git ignores; undefined for a folder without Git. */
  ignored?: string;
  /** Where programs are. */
  path?: string;
}

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
  isPublic?: boolean;
}

function fingerprintAt(
  root: string,
  { markdown = withPlugins, options = {}, schema = {}, ...how }: Settings = {},
) {
  const url = (path: string) => pathToFileURL(join(root, path, '/'));
  const folders = { publicDir: url('public'), outDir: url('dist'), cacheDir: url('.cache') };
  const config = { root: url('.'), ...folders, markdown, image: {}, env: { schema } };
  return siteFingerprint(config as unknown as AstroConfig, options, how);
}

/** Returns the fingerprint of a new site, which this process has not read before. */
async function fingerprint(files: Texts, settings?: Settings) {
  const root = await temporaryFolder();
  await write(root, { ...base, ...files });
  return fingerprintAt(root, settings);
}

/** Returns the fingerprint of a site in a folder of a repository. */
async function fingerprintIn({ files = {}, links = {}, ignored, path: programs }: Parts) {
  const root = await temporaryFolder();
  const site = join(root, 'site');
  if (ignored !== undefined) {
    execFileSync('git', ['init', '-q', root]);
    await write(root, { '.gitignore': ignored });
  }
  await write(site, { ...base, ...files });
  for (const [path, target] of Object.entries(links)) {
    await mkdir(dirname(join(site, path)), { recursive: true });
    await symlink(target, join(site, path));
  }
  if (programs !== undefined) vi.stubEnv('PATH', programs);
  const result = await fingerprintAt(site);
  vi.unstubAllEnvs();
  return result;
}

const uncounted = [
  ...['node_modules/installed/index.js', 'packages/a/node_modules/b/index.js', 'dist/index.js'],
  ...['public/data.json', 'mirrors/articles-0123456789ab/index.json', '.vercel/output/config.json'],
  ...['src/.cache/x.json', 'src/pages/index.astro', 'src/content/a.md', 'src/content/b.MDX'],
  ...['src/style.css', 'src/photo.JPG', 'src/icon.svg', 'src/film.mp4', 'src/font.woff2'],
  ...['.env', '.env.production', 'build.log', 'logs/npm-debug.LOG'],
];
const ignoredPaths = ['generated/a.ts', 'b.txt', 'src/b.txt', 'local.json', 'private/x/y.json'];
const inGit = {
  ignored: 'generated/\n*.txt\n!keep.txt\n',
  files: { '.gitignore': 'local.json\nprivate' },
};
const packageOf = (...names: string[]) =>
  JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '*'])) });
/** Packages that depend on one another, of which `installed` is not a link. */
const workspace = {
  ignored: 'dist\nnode_modules',
  files: {
    '../packages/plugin/package.json': packageOf('@site/shared', 'site'),
    'package.json': packageOf('plugin', 'installed', 'missing'),
  },
  links: {
    '../node_modules/@site/shared': '../../packages/shared',
    '../node_modules/plugin': '../packages/plugin',
    '../node_modules/unused': '../packages/unused',
    '../node_modules/site': '../site',
  },
};
const links = { linked: '../elsewhere', circle: '../site', broken: 'nowhere' };
const shared = '../packages/shared/dist/index.js';
const others = ['../packages/unused/index.js', '../node_modules/installed/index.js'];

test.each<[string, paths: string[], named: string | undefined, parts?: Parts]>([
  ['installed packages, output, styles and the like do not count', uncounted, undefined],
  ['what Git ignores does not count', ignoredPaths, undefined, inGit],
  ['what Git does not ignore counts', ['keep.txt'], 'keep.txt', inGit],
  ['a site counts that Git ignores', ['data.json'], 'data.json', { ignored: '*\n' }],
  ['a site counts whose folder Git ignores', ['data.json'], 'data.json', { ignored: 'site/\n' }],
  ['all files count without Git', ['b.txt'], 'b.txt', { ignored: '*.txt', path: '' }],
  ['the output of a package that a linked one needs counts', [shared], shared, workspace],
  ['installed and unused packages do not count', others, undefined, workspace],
  ['a linked folder counts', ['../elsewhere/a.json'], 'linked/a.json', { links }],
  ['a lock file above the site counts', ['../pnpm-lock.yaml'], '../pnpm-lock.yaml'],
])('%s', async (_, paths, named, { files, ...parts } = {}) => {
  const read = (text: string) => {
    const texts = Object.fromEntries(paths.map((path) => [path, text]));
    return fingerprintIn({ ...parts, files: { ...files, ...texts } });
  };
  const [before, same, after] = [await read('a'), await read('a'), await read('b')];
  expect(same).toEqual(before);
  expect(changedInput(before.inputs, after.inputs)).toBe(named && `\`${named}\``);
  expect(before.rendering === after.rendering).toBe(named === undefined);
  expect(before.entries === after.entries).toBe(named === undefined);
});

test('a change of a file changes the fingerprint, and is named', async () => {
  const folders = ['', 'src/', 'src/a b/', 'plugins/deep/er/', 'dist-of-x/', 'src/public/'];
  const names = ['a.ts', 'b.json', 'c.bib', 'list', 'words.txt', 'a.wasm', 'x.vue', 'ü.mjs', 'env'];
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
  expect(changes).toBeGreaterThan(10);
});

test('a variable counts if code names it', async () => {
  const forms = fc.constantFrom(
    (name: string) => `process.env.${name}`,
    (name: string) => `process.env?.${name} ?? ''`,
    (name: string) => `import.meta.env.${name};`,
    (name: string) => `[process.env['${name}']]`,
    (name: string) => `import.meta.env[ "${name}" ]`,
    (name: string) => `process.env!.${name}!`,
    (name: string) => `const {\n  MODE, ${name} = '' } = import.meta.env;`,
    (name: string) => `import { argv, env } from 'node:process'; env.${name};`,
    (name: string) => `import { getSecret } from 'astro:env/server'; getSecret('${name}');`,
    (name: string) => `export default (env) => env.${name};`,
    (name: string) => `const env = loadEnv('', '', ''); env.${name};`,
  );
  // The package has variables of its own with the second prefix.
  const word = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,9}$/);
  const name = fc.tuple(fc.constantFrom('T_', 'ARTICLES_T_'), word).map((all) => all.join(''));
  await fc.assert(
    fc.asyncProperty(forms, name, fc.boolean(), async (form, variable, inFile) => {
      const read = (value: string, other: string) => {
        const files = { 'plugins/a.mjs': `export default ${form(variable)}` };
        const lines = `${variable}=${value}\nT_OTHER_ONE=${other}\n`;
        if (inFile) return fingerprint({ ...files, '.env': lines });
        vi.stubEnv(variable, value);
        vi.stubEnv('T_OTHER_ONE', other);
        return fingerprint(files);
      };
      const before = await read('north', '1');
      expect(await read('north', '2')).toEqual(before);
      const after = await read('south', '1');
      vi.unstubAllEnvs();
      expect(after.rendering).not.toBe(before.rendering);
      const named = changedInput(before.inputs, after.inputs);
      expect(named).toBe(`the environment variable \`${variable}\``);
    }),
    runs(12),
  );
});

test('a variable that astro.config declares counts', async () => {
  vi.stubEnv('T_DECLARED', 'a');
  const { inputs } = await fingerprint({}, { schema: { T_DECLARED: {} } });
  expect(inputs).toContain('the environment variable `T_DECLARED`');
});

test('options of this package in the environment do not count', async () => {
  const read = (key: string) => {
    vi.stubEnv('ARTICLES_API_KEY', key);
    vi.stubEnv('T_SECRET', 'swordfish');
    return fingerprint({ 'a.ts': 'process.env.ARTICLES_API_KEY, process.env.T_SECRET' });
  };
  const first = await read('a-key-of-a-test');
  expect(await read('another-key')).toEqual(first);
  const line = first.inputs.split('\n').find((each) => each.includes('T_SECRET'));
  expect(line).toMatch(/^[0-9a-f]{8} /);
});

test('hashes in a repository depend on no value of a variable', async () => {
  const value = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.constantFrom('swordfish', "it's", 'a\nb\n'.repeat(40), '"`\'', 'café', '\\\\'),
  );
  // Not what the settings contain anyway, such as blanks.
  const secrets = value.map((text) => `T-1-${text.replaceAll('\0', '')}`);
  // As a plugin gets it from astro.config.
  const settingsWith = (secret: string) => ({
    remarkPlugins: [[() => undefined, { token: `Bearer ${secret}`, both: bothOf(secret) }]],
    other: secret,
  });
  // A value of another variable that contains it.
  const bothOf = (secret: string) => `${secret}:${hash(secret)}`;
  const files = { 'plugins/a.mjs': 'export default [env.T_SECRET, env.T_SECRET_AND_MORE]' };
  const read = async (secret: string, isPublic: boolean) => {
    vi.stubEnv('T_SECRET', secret);
    vi.stubEnv('T_SECRET_AND_MORE', bothOf(secret));
    return fingerprint(files, { markdown: settingsWith(secret), isPublic });
  };
  await fc.assert(
    fc.asyncProperty(secrets, secrets, async (one, two) => {
      fc.pre(one !== two);
      const [first, second] = [await read(one, true), await read(two, true)];
      expect({ ...second, entries: '' }).toEqual({ ...first, entries: '' });
      expect(second.entries).not.toBe(first.entries);
      expect(first.uncounted).toEqual(['T_SECRET', 'T_SECRET_AND_MORE']);
      const [third, fourth] = [await read(one, false), await read(two, false)];
      expect(third.rendering).not.toBe(fourth.rendering);
      expect(third.uncounted).toEqual([]);
    }),
    runs(8),
  );
  const settings = { markdown: settingsWith('x'), isPublic: true };
  const edited = await fingerprint({ 'plugins/a.mjs': '1' }, settings);
  expect(edited.rendering).not.toBe((await read('swordfish', true)).rendering);
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

test('entries depend on the mode, the time zone and flags; plugins on the first two', async () => {
  const root = await temporaryFolder();
  await write(root, base);
  const read = ({ mode = 'production', zone = 'UTC', flags = [''] }, settings?: Settings) => {
    const integration = { options: {}, redirects: false, mode };
    siteAt(pathToFileURL(join(root, '/'))).integration = integration;
    vi.stubEnv('TZ', zone);
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'astro', 'build', ...flags]);
    return fingerprintAt(root, settings);
  };
  const changes = [{}, { flags: ['--devOutput'] }, { mode: 'staging' }, { zone: 'Asia/Tokyo' }];
  const all = [];
  for (const change of changes) all.push(await read(change));
  expect(await read({})).toEqual(all[0]);
  expect(new Set(all.map(({ entries }) => entries)).size).toBe(all.length);
  const [usual, flags, ...others] = all.map(({ rendering }) => rendering);
  expect(flags).toBe(usual);
  expect(new Set([usual, ...others]).size).toBe(3);
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

test('without a lock file, no two processes have the same fingerprint', async () => {
  const root = await temporaryFolder();
  await write(root, { 'astro.config.ts': '' });
  await symlink(root, `${root}-again`);
  const [first, second] = [
    await fingerprintAt(root, { markdown: {} }),
    await fingerprintAt(`${root}-again`, { markdown: {} }),
  ];
  expect(first?.rendering).not.toBe(second?.rendering);
  expect(first?.entries).not.toBe(second?.entries);
  expect(changedInput(first?.inputs ?? '', second?.inputs ?? '')).toBe('the lock file (missing)');
});

test.runIf(isLong)(
  'with more than 20,000 files, each process has another fingerprint',
  async () => {
    const root = await temporaryFolder();
    await write(root, { ...base, 'data/0.json': '' });
    const rest = 20_000 - Object.keys(base).length;
    const folder = join(root, 'data');
    for (let i = 0; i < rest; i += 500) {
      const names = Array.from({ length: Math.min(500, rest - i) }, (_, j) => `${i + j}.json`);
      await Promise.all(names.map((name) => writeFile(join(folder, name), '')));
    }
    for (const name of ['more', 'again']) await symlink(root, `${root}-${name}`);
    expect((await fingerprintAt(root)).inputs).not.toContain('unknown');
    await write(root, { 'one-more.json': '' });
    const folders = ['more', 'again'].map((name) => `${root}-${name}`);
    const [first, second] = await Promise.all(folders.map((name) => fingerprintAt(name)));
    expect(first?.rendering).not.toBe(second?.rendering);
    expect(changedInput(first?.inputs ?? '', second?.inputs ?? '')).toBe(
      "the site's files (unknown: there are more than 20000)",
    );
  },
);

test('a file that cannot be read is named', async () => {
  const { inputs } = await fingerprint({ 'package.json': '{ broken' });
  expect(inputs).toMatch(/ the site's files \(unknown: .*JSON/);
});

test('a process keeps its first hash of renderings, and a later build has another of entries', async () => {
  const root = await temporaryFolder();
  await write(root, base);
  const first = await fingerprintAt(root);
  const config = siteAt(pathToFileURL(join(root, '/'))).inputs?.config;
  await write(root, { 'astro.config.ts': 'edited' });
  expect(config && (await siteFingerprint(config, {}))).toEqual(first);
  const again = config && (await siteFingerprint(config, {}, { readsAgain: true }));
  expect(again).toMatchObject({ rendering: first.rendering, inputs: first.inputs });
  expect(again?.code).not.toEqual(first.code);
  const later = await fingerprintAt(root);
  expect(later.entries).not.toBe(first.entries);
  expect({ ...later, entries: '', code: [] }).toEqual({ ...first, entries: '', code: [] });
  const gfm = config && { ...config, markdown: { gfm: false } as never };
  const other = gfm && (await siteFingerprint(gfm, {}));
  expect(other?.rendering).not.toBe(first.rendering);
});

// A script is not a program on Windows.
test.skipIf(process.platform === 'win32')(
  'Git gets only the variables that find it and its settings, so no API key',
  async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, '.git'));
    const program = join(root, 'git');
    const script = `#!${process.execPath}
      require('node:fs').writeFileSync(__filename + '.json', JSON.stringify(process.env));
      process.stdout.write('ignored/');`;
    await writeFile(program, script);
    await chmod(program, 0o755);
    const wanted = {
      PATH: [root, process.env.PATH].join(delimiter),
      HOME: root,
      XDG_CONFIG_HOME: join(root, '.config'),
    };
    const others = { ARTICLES_API_KEY: 'one key', NEWS_KEY: 'another key', NODE_OPTIONS: '' };
    for (const [name, value] of Object.entries({ ...wanted, ...others })) vi.stubEnv(name, value);
    expect(await ignoredIn(pathToFileURL(`${root}/`))).toEqual(['ignored/']);
    const variables = JSON.parse(await readFile(`${program}.json`, 'utf8'));
    // macOS adds one to each process.
    delete variables.__CF_USER_TEXT_ENCODING;
    expect(variables).toEqual(wanted);
  },
);
