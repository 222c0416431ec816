import { globSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { read, root } from '../helpers/readme.ts';

/** What folders do not import, besides those above them: other folders, and packages. */
const bans: Record<string, readonly string[]> = {
  feed: ['webhook'],
  components: ['webhook'],
  live: ['report', 'load', 'images', 'mirror', 'redirects'],
  report: ['redirects'],
  load: ['astro'],
  entry: ['images', 'mirror', 'redirects', 'astro'],
  images: ['redirects', 'render', 'html', 'astro'],
  mirror: ['render', 'html', 'astro'],
  options: ['render', 'html', 'astro'],
  redirects: ['client'],
};
/** Folders that import only types of Astro. */
const typesOfAstro = ['cli', 'serve', 'redirects'];
/** The part of Astro that decodes images, if it is installed. */
const decoder = 'astro/assets/utils';

interface Import {
  /** The path of a module in src. */
  from: string;
  /** The path of a module in src, or the name of another one. */
  to: string;
  /** The folder of src, or else the package; `node` and `astro` also for `node:fs` and `astro:content`. */
  part: string;
}

const modules = globSync('src/**/*.{ts,astro}', { cwd: root }).map((path) =>
  path.replaceAll('\\', '/'),
);
const imports = modules.flatMap((path) => importsOf(path, codeOf(path)));

const [layers = ''] =
  /^start\nintegration \| .*$[\s\S]*?^messages$/m.exec(read('.github/CONTRIBUTING.md')) ?? [];
const lines = layers.split('\n').map((line) => line.split(' | '));
/** The number of the line that has a folder; -1 for the entry of the package, which is above all. */
const lineOf = (folder: string) => lines.findIndex((line) => line.includes(folder));

it('CONTRIBUTING.md has a layer for each folder', () => {
  const folders = new Set(modules.map(folderOf));
  expect([...folders].sort()).toEqual([...lines.flat(), 'index'].sort());
});

it('modules import only those of their own folder and of lower layers', () => {
  const inside = imports.filter(({ to }) => to.startsWith('src/'));
  const up = inside.filter(
    ({ from, part }) => part !== folderOf(from) && lineOf(part) <= lineOf(folderOf(from)),
  );
  expect(inside.length).toBeGreaterThan(400);
  expect(textsOf(up)).toEqual([]);
});

it('the entry of the package is for users', () => {
  expect(textsOf(imports.filter(({ part }) => part === 'astro-articles'))).toEqual([]);
});

it('folders do not import what they need not know', () => {
  const banned = imports.filter(({ from, to, part }) => {
    if (folderOf(from) === 'images' && to === decoder) return false;
    return bans[folderOf(from)]?.includes(part);
  });
  expect(textsOf(banned)).toEqual([]);
});

it('the errors import the messages only, and those import nothing', () => {
  const low = imports.filter(
    ({ from, to }) => /^src\/(?:errors|messages)\.ts$/.test(from) && to !== 'src/messages.ts',
  );
  expect(textsOf(low)).toEqual([]);
});

it.each(typesOfAstro)('%s runs without Astro', (folder) => {
  const options = { target: ts.ScriptTarget.ESNext, verbatimModuleSyntax: true };
  const running = modules
    .filter((path) => folderOf(path) === folder)
    .flatMap((path) => importsOf(path, ts.transpile(codeOf(path), options)));
  expect(running.length).toBeGreaterThan(5);
  expect(textsOf(running.filter(({ part }) => part === 'astro'))).toEqual([]);
});

const neutral: { include: string[] } = JSON.parse(read('tsconfig.neutral.json'));

it.each(neutral.include)('%s, and what it imports, uses nothing of Node or Astro', (folder) => {
  const reached = new Set(modules.filter((path) => path.startsWith(`${folder}/`)));
  // The loop also visits modules that it adds.
  for (const path of reached) {
    for (const { from, to } of imports) if (from === path && modules.includes(to)) reached.add(to);
  }
  const used = imports.filter(
    ({ from, part }) => reached.has(from) && (part === 'node' || part === 'astro'),
  );
  expect(reached.size).toBeGreaterThan(1);
  expect(textsOf(used)).toEqual([]);
});

/** Returns the imports of a module, those of types, too. */
function importsOf(from: string, code: string): Import[] {
  return ts.preProcessFile(code).importedFiles.map(({ fileName }) => {
    if (fileName.startsWith('.')) {
      const to = posix.join(posix.dirname(from), fileName);
      return { from, to, part: folderOf(to) };
    }
    const [name = ''] = fileName.split(/[:/]/);
    return { from, to: fileName, part: isBuiltin(fileName) ? 'node' : name };
  });
}

function codeOf(path: string): string {
  const text = read(path);
  return path.endsWith('.astro') ? (/^---\n([\s\S]*?)^---$/m.exec(text)?.[1] ?? '') : text;
}

function folderOf(path: string): string {
  return path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
}

function textsOf(found: readonly Import[]): string[] {
  return found.map(({ from, to }) => `${from} imports ${to}`);
}
