import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { development, pages, proseOf, root } from '../helpers/readme.ts';

/** Words that other projects of this field do not use in this sense. */
const strangeWords =
  /\b(asks?|asked|asking|asker|answers?|tells?|told|stands?|stood|at hand|whoever|whatever|somebody|nobody|anybody|anew|once more|heeds?|obeys?|mends?|mended|cannot be had|alike|likewise|thereof|beside|believed?|what came of it|no more than|as it came|goes on|damaged?)\b/gi;

const documents = [...pages, 'AGENTS.md', 'SECURITY.md', 'CHANGELOG.md', ...development];
const exclude = ['**/node_modules/**', '**/.site-*/**', '**/others/**', 'test/repository/**'];
const folders = '{src,test,bench,fixtures,playground}/**/*';
const sources = [`${folders}.ts`, `${folders}.astro`].flatMap((pattern) =>
  globSync(pattern, { cwd: root, exclude }),
);
/** A list of words from which articles are generated. */
const generated = 'fixtures/made-articles.ts';

describe('the words of the field', () => {
  it.each(documents)('are used in %s', (page) => {
    expect(proseOf(page).match(strangeWords) ?? []).toEqual([]);
  });

  it('are used in comments, messages and names of tests', () => {
    const found = sources.flatMap((path) => {
      if (path.replaceAll('\\', '/') === generated) return [];
      return textsIn(path).flatMap((text) => {
        const words = text.match(strangeWords);
        return words ? [`${path}: ${words.join(', ')} in “${text.slice(0, 100)}”`] : [];
      });
    });
    expect(sources.length).toBeGreaterThan(300);
    expect(found).toEqual([]);
  });
});

describe('names of tests', () => {
  it('contain no keys of lists that are kept elsewhere', () => {
    const tests = sources.filter((path) => path.endsWith('.test.ts'));
    const keyed = /\b(?:it|test|describe)(?:\.each\([\s\S]*?\))?\(\s*['"`]D\d+/;
    expect(tests.length).toBeGreaterThan(50);
    expect(tests.filter((path) => keyed.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
  });
});

/** Returns the comments and the strings of a file. */
function textsIn(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  if (!path.endsWith('.ts')) return text.match(/\/\*[\s\S]*?\*\/|\/\/.*|<!--[\s\S]*?-->/g) ?? [];
  const texts = new Set<string>();
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return [...texts];

  function visit(node: ts.Node): void {
    const comments = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of comments) texts.add(text.slice(pos, end));
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) texts.add(node.text);
    if (ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) texts.add(node.text);
    ts.forEachChild(node, visit);
  }
}
