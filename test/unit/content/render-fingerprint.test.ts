import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { renderFingerprint } from '../../../src/content/render-fingerprint.ts';
import { resolveOptions } from '../../../src/options/resolve-options.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const options = resolveOptions({
  loader: { baseUrl: 'https://a.example', apiKey: 'a-key-of-a-test' },
  integration: {},
  environment: {},
  command: 'build',
});
const { argv } = process;
let root: string;

beforeEach(async () => {
  root = await temporaryFolder();
  process.argv = ['node', '/bin/astro', 'build'];
});
afterEach(() => {
  process.argv = argv;
});

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

const plugin = () => undefined;

function fingerprint(markdown: object = { remarkPlugins: [plugin] }, renderInputs: string[] = []) {
  const config = { root: pathToFileURL(`${root}/`), markdown, image: {} };
  return renderFingerprint(config as unknown as AstroConfig, { ...options, renderInputs });
}

describe('without plugins', () => {
  test('the fingerprint does not depend on the content of the config file', async () => {
    await write({ 'astro.config.mjs': 'export default { site: process.env.SITE };' });
    const { isCertain } = await fingerprint({ shikiConfig: { theme: 'nord', transformers: [] } });
    expect(isCertain).toBe(true);
  });

  test('the fingerprint changes with the settings and with the lock file', async () => {
    const names = [await fingerprint({}), await fingerprint({ gfm: false })];
    await write({ 'package-lock.json': '{}' });
    names.push(await fingerprint({}));
    expect(new Set(names.map((each) => each.fingerprint)).size).toBe(3);
  });

  test('the fingerprint is not certain with --force', async () => {
    process.argv.push('--force');
    expect((await fingerprint({})).isCertain).toBe(false);
  });
});

describe('with plugins', () => {
  test.each([
    ['a function', { remarkPlugins: [plugin] }],
    ['the name of a package', { rehypePlugins: ['rehype-slug'] }],
    ['a Shiki transformer', { shikiConfig: { transformers: [{ pre: plugin }] } }],
    [
      'an option of the processor',
      { processor: { name: 'satteri', options: { mdastPlugins: [plugin] } } },
    ],
    ['an unknown processor', { processor: { name: 'own', options: {} } }],
  ])('the fingerprint includes the files of the config with %s', async (_, markdown) => {
    await write({ 'package-lock.json': '{}', 'astro.config.mjs': 'export default {};' });
    const before = await fingerprint(markdown);
    await write({ 'astro.config.mjs': 'export default { };' });
    const after = await fingerprint(markdown);
    expect([before.isCertain, after.isCertain]).toEqual([true, true]);
    expect(after.fingerprint).not.toBe(before.fingerprint);
  });

  test('the fingerprint changes with each file that a module imports or names by a relative path', async () => {
    await write({
      'package-lock.json': '{}',
      'astro.config.ts': `import type { Root } from 'hast';\nimport { p } from './plugins/index.js';\nexport default p satisfies unknown;`,
      'plugins/index.ts': `export { default as p } from './mark';\nimport data from './data.json' with { type: 'json' };\nawait import('./more.mjs');`,
      'plugins/mark.mts': `export default 1;`,
      'plugins/data.json': '1',
      'plugins/more.mjs': `export default ['./refs.bib', new URL("./words/list.txt", import.meta.url)];`,
      'plugins/refs.bib': '1',
      'plugins/words/list.txt': '1',
    });
    const names = [await fingerprint()];
    const files = ['mark.mts', 'data.json', 'refs.bib', 'words/list.txt', 'more.mjs'];
    for (const path of files) {
      await write({ [`plugins/${path}`]: '2' });
      names.push(await fingerprint());
    }
    expect(names.every(({ isCertain }) => isCertain)).toBe(true);
    expect(new Set(names.map((each) => each.fingerprint)).size).toBe(1 + files.length);
  });

  test('the fingerprint includes a linked package like local files, and not an installed one', async () => {
    await write({
      'package-lock.json': '{}',
      'astro.config.mjs': `import 'linked'; import 'installed';`,
      'packages/linked/package.json': '{}',
      'packages/linked/lib/index.js': '1',
      'node_modules/installed/index.js': 'process.exit()',
    });
    await symlink('../packages/linked', join(root, 'node_modules/linked'));
    const before = await fingerprint();
    await write({ 'node_modules/installed/index.js': 'process.abort()' });
    expect(await fingerprint()).toEqual({ ...before, isCertain: true });
    await write({ 'packages/linked/lib/index.js': '2' });
    expect((await fingerprint()).fingerprint).not.toBe(before.fingerprint);
  });

  test('the fingerprint includes the config file of Expressive Code, which no module imports', async () => {
    await write({
      'package-lock.json': '{}',
      'astro.config.mjs': '',
      'ec.config.mjs': 'export default { themes: ["nord"] };',
    });
    const before = await fingerprint();
    await write({ 'ec.config.mjs': 'export default { themes: ["dracula"] };' });
    expect((await fingerprint()).fingerprint).not.toBe(before.fingerprint);
  });

  test.each([
    ['reads the environment', `export default process.env.MARK;`],
    ['uses the network', `export default await fetch('https://a.example');`],
    ['depends on the time', `export default new Date();`],
    ['reads a file', `import { readFileSync } from 'node:fs';`],
    ['imports only a type of a package', `import type { Root } from 'hast';`],
    ['names a package in a comment', `// from 'elsewhere'`],
  ])('HTML of an earlier load is used when the config %s', async (_, code) => {
    await write({ 'package-lock.json': '{}', 'astro.config.ts': code });
    expect((await fingerprint()).isCertain).toBe(true);
  });

  test.each([
    ['an alias', `import plugin from '@/plugin';`],
    ['an unknown package', `import 'no-such-package';`],
    ['several lines', `import {\n  plugin,\n} from "#plugins";`],
    ['a dynamic import', `await import('no-such-package');`],
    ['a computed import', `await import(name);`],
  ])('HTML is not certain when a file cannot be found: %s', async (_, code) => {
    await write({
      'package-lock.json': '{}',
      'astro.config.mjs': `import './plugin.mjs';`,
      'plugin.mjs': code,
    });
    expect((await fingerprint()).isCertain).toBe(false);
  });

  test('the fingerprint is not certain without a lock file, or when another program starts Astro', async () => {
    await write({ 'astro.config.mjs': '' });
    expect((await fingerprint()).isCertain).toBe(false);
    await write({ 'package-lock.json': '{}' });
    expect((await fingerprint()).isCertain).toBe(true);
    process.argv = ['node', '/site/build.mjs'];
    expect((await fingerprint()).isCertain).toBe(false);
  });

  test('the config file that --config names is read', async () => {
    await write({
      'package-lock.json': '{}',
      'astro.config.mjs': '',
      'other.mjs': `import 'no-such-package';`,
    });
    process.argv.push('--config', 'other.mjs');
    expect((await fingerprint()).isCertain).toBe(false);
  });
});

describe('with `renderInputs`', () => {
  test('the fingerprint changes with each file that a pattern matches', async () => {
    await write({ 'refs.bib': '1', 'glossary/a.md': '1', 'glossary/b/c.md': '1' });
    const inputs = ['refs.bib', 'glossary/**/*.md'];
    const names = [await fingerprint({}, inputs)];
    for (const path of ['refs.bib', 'glossary/b/c.md', 'glossary/new.md']) {
      await write({ [path]: '2' });
      names.push(await fingerprint({}, inputs));
    }
    expect(new Set(names.map((each) => each.fingerprint)).size).toBe(4);
    expect(names.every(({ isCertain }) => isCertain)).toBe(true);
  });

  test('a pattern that matches no file is an error', async () => {
    await expect(fingerprint({}, ['refs.bib'])).rejects.toThrow(
      '`renderInputs`: no file matches "refs.bib".',
    );
  });
});
