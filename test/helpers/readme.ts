import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the package. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The paths of all pages: the README and everything in `docs`. */
export const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })]
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !/\/(node_modules|dist)\//.test(path))
  .sort();

/** The paths of the documents for those who develop the package. */
export const development = ['test/README.md', ...globSync('.github/*.md', { cwd: root })].filter(
  (path) => !path.includes('TEMPLATE'),
);

export interface CodeBlock {
  page: string;
  language: string;
  code: string;
  /** The path in its first comment, when it shows a whole file. */
  path?: string | undefined;
}

/** Reads a file of the package. */
export function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** Returns the code blocks of a page. */
export function codeBlocks(page: string): CodeBlock[] {
  const blocks = read(page).matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm);
  return Array.from(blocks, ([, language = '', code = '']) => {
    const path = /^(?:---\n)?(?:\/\/|#) ((?:[\w.[\]-]+\/)*(?:\S*\.\S+|Dockerfile))(?: .*)?\n/.exec(
      code,
    );
    return { page, language, code, path: path?.[1] };
  });
}

/** Returns the files that pages show completely, by path. A site with all of these files builds. */
export function filesOf(...shown: string[]): Record<string, string> {
  const files = shown.flatMap(codeBlocks).flatMap(({ path, code }) => (path ? [[path, code]] : []));
  return Object.fromEntries(files);
}

/** Returns the cells of the table below a heading, by row. */
export function tableBelow(page: string, heading: string): string[][] {
  const section =
    read(page)
      .split(/^#{2,3} /m)
      .find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Returns the ids that GitHub generates for the headings of a page. */
export function anchorsOf(page: string): Set<string> {
  const headings = read(page)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    Array.from(headings, ([, text = '']) =>
      text
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}
