import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it, test } from 'vitest';
import { root } from '../helpers/readme.ts';

// What an editor shows of the published types, from the language service that editors use.

/** A file of a site, in which `^` marks the places that a user points at. */
const marked = `
import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import articles, { articleSchema, articlesLoader } from 'astro-articles';
import { liveArticlesLoader } from 'astro-articles/live';

declare const context: SchemaContext;
const schema = articleSchema(context).extend({ reviewed: z.boolean() });
declare const data: z.infer<typeof schema>;

articles({ ^refresh: 5_000, images: { ^body: 'local' } });
articlesLoader({ ^mirrorDir: 'x', sanitize: { ^iframes: [] } });
liveArticlesLoader({ ^order: 'oldest-first' });
data.^cover_color;

articles({ mirrorFolder: 'x' });
articlesLoader({ refresh: 5_000 });
liveArticlesLoader({ redirects: true });
`;
const text = marked.replaceAll('^', '');
const file = join(root, 'test/build/editor.ts');
const service = createService();

function createService(): ts.LanguageService {
  const { options } = ts.parseJsonConfigFileContent({ extends: './tsconfig.json' }, ts.sys, root);
  const read = (path: string) => (path === file ? text : ts.sys.readFile(path));
  return ts.createLanguageService({
    directoryExists: ts.sys.directoryExists,
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    getCompilationSettings: () => options,
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getScriptFileNames: () => [file],
    getScriptSnapshot: (path) => {
      const content = read(path);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getScriptVersion: () => '1',
    getDirectories: ts.sys.getDirectories,
    readDirectory: ts.sys.readDirectory,
    readFile: read,
  });
}

/** Returns what an editor shows at a mark: the type, and the description with its default. */
function shownAt(name: string): string {
  const before = marked.slice(0, marked.indexOf(`^${name}`));
  const info = service.getQuickInfoAtPosition(file, before.replaceAll('^', '').length);
  const tags = info?.tags?.map((tag) => `@${tag.name} ${ts.displayPartsToString(tag.text)}`) ?? [];
  const parts = [info?.displayParts, info?.documentation].map(ts.displayPartsToString);
  return [...parts, ...tags].join('\n');
}

describe('an editor shows what an option does, its type and its default:', () => {
  it.each([
    ['refresh', /refresh\?: number.*\nThe number of milliseconds between two checks[^@]*@default/s],
    ['body', /ImageOptions\.body\?: "local" \| "remote".*images in bodies.*@default 'remote'/s],
    [
      'mirrorDir',
      /ArticlesOptions\.mirrorDir\?: string.*A folder for the mirror.*@default a folder/s,
    ],
    ['iframes', /iframes\?: readonly string\[\].*Hosts whose pages may be embedded/s],
    ['order', /order\?: .*counts from the oldest.*@default 'newest-first'/s],
    ['cover_color', /cover_color: string \| null\nThe dominant colour of a local cover/s],
  ])('%s', (name, shown) => {
    expect(shownAt(name)).toMatch(shown);
  });
});

test('the error of a wrong option names the type of the options, and is short', () => {
  const errors = service
    .getSemanticDiagnostics(file)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  const wrong = (name: string, type: string) =>
    `Object literal may only specify known properties, and '${name}' does not exist in type '${type}'.`;
  expect(errors).toEqual([
    wrong('mirrorFolder', 'ArticlesIntegrationOptions'),
    wrong('refresh', 'ArticlesLoaderOptions'),
    wrong('redirects', 'LiveArticlesOptions'),
  ]);
});
