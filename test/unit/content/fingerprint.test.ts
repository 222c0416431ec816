import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { changedInput, siteFingerprint } from '../../../src/content/fingerprint.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

type Files = Readonly<Record<string, string>>;

interface Settings {
  markdown?: object;
  options?: object;
  isDev?: boolean;
}

const plugin = () => undefined;
const base: Files = {
  'package-lock.json': '{}',
  'astro.config.ts': 'export default {};',
  'src/content.config.ts': 'export const collections = {};',
};
const { argv } = process;

afterEach(() => {
  process.argv = argv;
  vi.unstubAllEnvs();
});

async function write(root: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

function fingerprintAt(root: string, settings: Settings = {}) {
  const { markdown = { remarkPlugins: [plugin] }, options = {}, isDev = false } = settings;
  const url = (path: string) => pathToFileURL(join(root, path, '/'));
  const config = {
    root: url('.'),
    publicDir: url('public'),
    outDir: url('dist'),
    cacheDir: url('node_modules/.astro'),
    markdown,
    image: {},
  };
  return siteFingerprint(config as unknown as AstroConfig, options, {
    mirrorFolder: join(root, 'articles-mirror'),
    isDev,
  });
}

/** Returns the fingerprint of a new site, which this process has not read before. */
async function fingerprint(files: Files, settings?: Settings) {
  const root = await temporaryFolder();
  await write(root, { ...base, ...files });
  return fingerprintAt(root, settings);
}

/** Returns the fingerprint of a site in a folder of a Git repository. */
async function inRepository(ignored: string, files: Files) {
  const root = await temporaryFolder();
  execFileSync('git', ['init', '-q', root]);
  await write(root, { '.gitignore': ignored });
  await write(join(root, 'apps/site'), { ...base, ...files });
  return () => fingerprintAt(join(root, 'apps/site'));
}

describe('files', () => {
  const folders = ['', 'src/', 'src/a b/', 'plugins/deep/er/', 'dist-of-x/', 'src/public/'];
  const names = ['a.ts', 'b.json', 'c.bib', 'list', 'words.txt', 'a.wasm', 'x.vue', 'ü.mjs', 'env'];
  const path = fc.tuple(fc.constantFrom(...folders), fc.constantFrom(...names));
  const files = fc.dictionary(
    path.map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
    { minKeys: 1, maxKeys: 5 },
  );

  test('each change of a counted file changes the fingerprint, which names the file', async () => {
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
        expect(current.entries).not.toBe(known.entries);
        expect(current.rendering).not.toBe(known.rendering);
        expect(changedInput(known.inputs, current.inputs)).toBe(`\`${changed}\``);
        expect(changedInput(current.inputs, known.inputs)).toBe(`\`${changed}\``);
      }
    });
    await fc.assert(property, { numRuns: 40 });
    expect(changes).toBeGreaterThan(25);
  });

  test.each([
    'node_modules/installed/index.js',
    'packages/a/node_modules/b/index.js',
    'dist/index.js',
    'public/data.json',
    'articles-mirror/articles-0123/index.json',
    '.vercel/output/config.json',
    'src/.cache/x.json',
    'src/pages/index.astro',
    'src/content/a.md',
    'src/content/b.MDX',
    'src/style.css',
    'src/photo.JPG',
    'src/icon.svg',
    '.env',
    '.env.production',
  ])('%s does not count', async (path) => {
    const without = await fingerprint({});
    expect(without.entries).toBeDefined();
    expect(await fingerprint({ [path]: 'a' })).toEqual(without);
    expect(await fingerprint({ [path]: 'b' })).toEqual(without);
  });

  test('what Git ignores does not count, also for a site in a folder of the repository', async () => {
    const read = async (text: string) => {
      const paths = ['generated/a.ts', 'b.log', 'src/b.log', 'local.json', 'private/x/y.json'];
      const ignored = Object.fromEntries(paths.map((path) => [path, text]));
      const own = { '.gitignore': 'local.json\nprivate', 'keep.log': 'a' };
      return (await inRepository('generated/\n*.log\n!keep.log\n', { ...ignored, ...own }))();
    };
    const first = await read('a');
    expect(await read('b')).toEqual(first);
    expect(first.inputs).toContain('keep.log');
    expect(first.inputs).toContain('src/content.config.ts');
  });

  test.each([
    ['that Git ignores as a whole', '*\n', undefined],
    ['whose folder Git ignores', 'apps/\n', undefined],
    ['on a machine without Git', 'data.json\n', ''],
  ])('all files count of a site %s', async (_, ignored, searchPath) => {
    const sites = [];
    for (const text of ['a', 'b']) sites.push(await inRepository(ignored, { 'data.json': text }));
    if (searchPath !== undefined) vi.stubEnv('PATH', searchPath);
    const [before, after] = sites.map((read) => read());
    expect(changedInput(before?.inputs ?? '', after?.inputs ?? '')).toBe('`data.json`');
  });

  test('linked packages count with their output, also through one another, and installed ones do not', async () => {
    const read = async (built: string, installed: string) => {
      const root = await temporaryFolder();
      execFileSync('git', ['init', '-q', root]);
      const dependencies = (...all: string[]) =>
        JSON.stringify({ dependencies: Object.fromEntries(all.map((name) => [name, '*'])) });
      await write(root, {
        '.gitignore': 'dist\nnode_modules',
        'package-lock.json': '{}',
        'packages/plugin/package.json': dependencies('@site/shared', 'site'),
        'packages/shared/dist/index.js': built,
        'packages/unused/index.js': installed,
        'node_modules/installed/index.js': installed,
        'site/package.json': dependencies('plugin', 'installed', 'missing'),
      });
      await write(join(root, 'site'), base);
      await mkdir(join(root, 'node_modules/@site'));
      await symlink('../../packages/shared', join(root, 'node_modules/@site/shared'));
      await symlink('../packages/plugin', join(root, 'node_modules/plugin'));
      await symlink('../packages/unused', join(root, 'node_modules/unused'));
      await symlink('../site', join(root, 'node_modules/site'));
      return fingerprintAt(join(root, 'site'));
    };
    const first = await read('1', '1');
    expect(await read('1', '2')).toEqual(first);
    const { inputs } = await read('2', '1');
    expect(changedInput(first.inputs, inputs)).toBe('`../packages/shared/dist/index.js`');
  });

  test('a linked folder counts, and a circle of links ends', async () => {
    const read = async (text: string) => {
      const root = await temporaryFolder();
      await write(root, { 'elsewhere/data.json': text });
      await write(join(root, 'site'), base);
      await symlink('../elsewhere', join(root, 'site/linked'));
      await symlink('../site', join(root, 'site/circle'));
      await symlink('nowhere', join(root, 'site/dangling'));
      return fingerprintAt(join(root, 'site'));
    };
    const [before, after] = [await read('a'), await read('b')];
    expect(changedInput(before.inputs, after.inputs)).toBe('`linked/data.json`');
  });
});

describe('environment variables', () => {
  const forms = fc.constantFrom(
    (name: string) => `process.env.${name}`,
    (name: string) => `process.env?.${name} ?? ''`,
    (name: string) => `import.meta.env.${name};`,
    (name: string) => `[process.env['${name}']]`,
    (name: string) => `import.meta.env[ "${name}" ]`,
    (name: string) => `process.env!.${name}!`,
  );
  const name = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,9}$/).map((text) => `T_${text}`);

  test('a named variable counts, of the process and of a .env file, and another one does not', async () => {
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
        expect(after.entries).not.toBe(before.entries);
        expect(after.rendering).not.toBe(before.rendering);
        const named = changedInput(before.inputs, after.inputs);
        expect(named).toBe(`the environment variable \`${variable}\``);
      }),
      { numRuns: 25 },
    );
  });

  test('code that reads the mode has other hashes in a dev server', async () => {
    const files = { 'a.ts': 'import.meta.env.DEV' };
    const build = await fingerprint(files);
    expect((await fingerprint(files, { isDev: true })).rendering).not.toBe(build.rendering);
    const [dev, other] = [await fingerprint({}, { isDev: true }), await fingerprint({})];
    expect(dev.rendering).toBe(other.rendering);
  });

  test('options of this package in the environment do not count, and no secret can be found', async () => {
    const code = { 'a.ts': 'process.env.ARTICLES_API_KEY, process.env.T_SECRET' };
    const read = (key: string) => {
      vi.stubEnv('ARTICLES_API_KEY', key);
      vi.stubEnv('T_SECRET', 'swordfish');
      return fingerprint(code);
    };
    const first = await read('a-key-of-a-test');
    expect(await read('another-key')).toEqual(first);
    const line = first.inputs.split('\n').find((each) => each.includes('T_SECRET'));
    expect(line).toMatch(/^[0-9a-f]{8} /);
  });
});

describe('without Markdown plugins', () => {
  const read = (files: Files, markdown: object = {}, options: object = {}) =>
    fingerprint(files, { markdown, options });

  test('renderings follow settings, options and the lock file, and entries follow files, too', async () => {
    const first = await read({});
    const edited = await read({ 'astro.config.ts': 'export default { };' });
    expect(edited.rendering).toBe(first.rendering);
    expect(edited.entries).not.toBe(first.entries);
    const others = [
      await read({}, { gfm: false }),
      await read({}, {}, { links: 'site' }),
      await read({}, {}, { sanitize: { tags: new Set(['b']) } }),
      await read({}, {}, { sanitize: { tags: new Set(['i']) } }),
      await read({ 'package-lock.json': '{ }' }),
    ];
    const names = [first, ...others].map(({ rendering }) => rendering);
    expect(new Set(names).size).toBe(names.length);
    const reasons = others.map(({ inputs }) => changedInput(first.inputs, inputs));
    expect(reasons).toEqual([
      'the settings of Markdown',
      ...Array.from({ length: 3 }, () => 'the options of rendering'),
      '`package-lock.json`',
    ]);
  });

  test('a long list of settings is compared to its end', async () => {
    const langs = (last: string) => ({ shikiConfig: { langs: [...'ab'.repeat(500), last] } });
    const [a, b] = [await read({}, langs('a')), await read({}, langs('b'))];
    expect(a.rendering).not.toBe(b.rendering);
  });
});

describe('when something is unknown', () => {
  test('without a lock file, neither entries nor renderings of other processes are used', async () => {
    const root = await temporaryFolder();
    await write(root, { 'astro.config.ts': '' });
    const { entries, reason, inputs, rendering } = fingerprintAt(root, { markdown: {} });
    expect([entries, reason]).toEqual([undefined, 'the site has no lock file']);
    const locked = await fingerprint({}, { markdown: {} });
    expect(locked.rendering).not.toBe(rendering);
    expect(inputs).toContain(' the lock file');
  });

  test('a lock file of a folder above the site counts', async () => {
    const read = async (lock: string) => {
      const root = await temporaryFolder();
      await write(root, { 'pnpm-lock.yaml': lock, 'site/astro.config.ts': '' });
      return fingerprintAt(join(root, 'site'), { markdown: {} });
    };
    const [before, after] = [await read('a'), await read('b')];
    expect(before.reason).toBeUndefined();
    expect(changedInput(before.inputs, after.inputs)).toBe('`../pnpm-lock.yaml`');
    expect(after.rendering).not.toBe(before.rendering);
  });

  test('20,000 files count, and with one more, only renderings without plugins are used', async () => {
    const root = await temporaryFolder();
    await write(root, { ...base, 'data/0.json': '' });
    const rest = 20_000 - Object.keys(base).length;
    const folder = join(root, 'data');
    for (let i = 0; i < rest; i += 500) {
      const names = Array.from({ length: Math.min(500, rest - i) }, (_, j) => `${i + j}.json`);
      await Promise.all(names.map((name) => writeFile(join(folder, name), '')));
    }
    await symlink(root, `${root}-more`);
    expect(fingerprintAt(root).reason).toBeUndefined();
    await write(root, { 'one-more.json': '' });
    const { entries, reason, rendering } = fingerprintAt(`${root}-more`, { markdown: {} });
    expect(entries).toBeUndefined();
    expect(reason).toBe("the site's files of code and data are unknown: there are more than 20000");
    expect(rendering).toBe((await fingerprint({}, { markdown: {} })).rendering);
  });

  test('a file that cannot be read is the reason', async () => {
    const { entries, reason } = await fingerprint({ 'package.json': '{ broken' });
    expect(entries).toBeUndefined();
    expect(reason).toMatch(/^the site's files of code and data are unknown: /);
  });

  test('with --force, nothing of earlier processes is used, and later ones use what it renders', async () => {
    const usual = await fingerprint({});
    process.argv = [...argv, '--force'];
    const forced = await fingerprint({});
    expect(forced).toEqual({ ...usual, entries: undefined, reason: 'Astro runs with `--force`' });
  });
});

describe('later loads of a process', () => {
  test('a build uses the files of its first load', async () => {
    const root = await temporaryFolder();
    await write(root, base);
    const first = fingerprintAt(root);
    await write(root, { 'astro.config.ts': 'edited' });
    expect(fingerprintAt(root)).toEqual(first);
  });

  test('a dev server parses all entries, and keeps renderings under the files of its start', async () => {
    const root = await temporaryFolder();
    await write(root, base);
    const first = fingerprintAt(root, { isDev: true });
    expect(first.entries).toBe((await fingerprint({})).entries);
    await write(root, { 'astro.config.ts': 'edited' });
    expect(fingerprintAt(root, { isDev: true })).toEqual({ ...first, entries: undefined });
  });
});
