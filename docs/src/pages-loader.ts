import { glob, readFile } from 'node:fs/promises';
import type { Loader, LoaderContext } from 'astro/loaders';

const repository = 'https://github.com/OWNER/astro-articles/blob/main/';
const docs = new URL('../', import.meta.url);

/**
 * Loads the pages of this folder, and the README of the package. On GitHub a page begins with its title
 * as a heading, and links to files; on the site the title is a field, and links lead to pages.
 */
export function pagesLoader(): Loader {
  return {
    name: 'pages',
    async load(context) {
      context.store.clear();
      for (const path of [...(await pagePaths()), '../README.md']) await loadPage(path, context);
    },
  };
}

async function pagePaths(): Promise<string[]> {
  const exclude = ['node_modules/**', 'dist/**'];
  const paths = await Array.fromAsync(glob('**/*.md', { cwd: docs, exclude }));
  return paths.map((path) => path.replaceAll('\\', '/')).sort();
}

async function loadPage(path: string, context: LoaderContext): Promise<void> {
  const { store, parseData, renderMarkdown, generateDigest, config } = context;
  const text = await readFile(new URL(path, docs), 'utf8');
  const [, heading = path, body = ''] = /^# (.+)\n+([\s\S]*)$/.exec(text) ?? [];
  const [paragraph = ''] = body.split('\n\n', 1);
  const id = idOf(path);
  const title = id === 'start' ? 'Start' : plainText(heading);
  const description = plainText(paragraph);
  store.set({
    id,
    filePath: path,
    body,
    digest: generateDigest(text),
    data: await parseData({ id, data: { title, description } }),
    rendered: await renderMarkdown(linkPages(body, { path, base: config.base })),
  });
}

function idOf(path: string): string {
  if (path === '../README.md') return 'start';
  return path === 'README.md' ? 'index' : path.replace(/\.md$/, '');
}

/** Makes links to the files of pages into links to the pages of the site. */
function linkPages(body: string, { path, base }: { path: string; base: string }): string {
  return body.replace(/\]\(([^)\s#]+\.md)(#[^)]*)?\)/g, (_, target: string, anchor = '') => {
    const { href } = new URL(target, new URL(path, `${repository}docs/`));
    if (!href.startsWith(`${repository}docs/`)) return `](${href}${anchor})`;
    const id = idOf(href.slice(`${repository}docs/`.length));
    return `](${base.replace(/\/$/, '')}/${id === 'index' ? '' : `${id}/`}${anchor})`;
  });
}

function plainText(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}
