import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import type { Loader, LoaderContext } from 'astro/loaders';
import { homePage, missingPage, type Page } from './home-page.ts';
import { repository } from './manifest.ts';
import { withUnbrokenWords } from './unbroken-words.ts';

const files = `${repository}/blob/main/`;
const docs = new URL('../', import.meta.url);

/**
 * Loads the pages of this folder, and the README of the package, which is the page *Get started*. The home page and the
 * one for wrong URLs are made of both. On GitHub a page begins with its title as a heading, and links to files; on the site the title is a field,
 * and links lead to pages.
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
  const text = linkFiles(await readFile(new URL(path, docs), 'utf8'), { path, base: config.base });
  const [, heading = path, whole = ''] = /^# (.+)\n+([\s\S]*)$/.exec(text) ?? [];
  const [paragraph = ''] = whole.split('\n\n', 1);
  const id = idOf(path);
  const isStart = id === 'start';
  if (id === 'contents') {
    const readme = await readFile(new URL('../README.md', docs), 'utf8');
    const linked = linkFiles(readme, { path: '../README.md', base: config.base });
    await setPage(homePage({ readme: linked, contents: whole }, config.base));
    await setPage(missingPage(whole));
  }
  await setPage({
    id,
    data: {
      title: isStart ? 'Get started' : plainText(heading),
      // Without its last sentence, if that only introduces a list or code.
      description: plainText(paragraph).replace(/ [^.]+:$/, ''),
    },
    // Readers of the site need neither the ways to contribute nor the licence.
    body: isStart ? whole.replace(/^## Contributing[\s\S]*/m, '') : whole,
  });

  async function setPage({ id, data, body }: Page): Promise<void> {
    const markdown = linkPages(withAsides(body), { path, base: config.base });
    const rendered = await renderMarkdown(markdown, {
      // Starlight renders asides only in Markdown of its own collection.
      fileURL: new URL(`content/docs/${id}.md`, config.srcDir),
    });
    store.set({
      id,
      filePath: path,
      body,
      digest: generateDigest(id + text),
      data: await parseData({ id, data }),
      rendered: { ...rendered, html: withUnbrokenWords(withTables(rendered.html)) },
    });
  }
}

function idOf(path: string): string {
  if (path === '../README.md') return 'start';
  return path === 'README.md' ? 'contents' : path.replace(/\.md$/, '');
}

/**
 * Makes tables that are wider than a phone scroll, with the keyboard as well. In one whose last column has defaults, the
 * default is next to the name on a phone, above the meaning; with that layout, browsers need the roles.
 */
function withTables(html: string): string {
  return html.replace(/<table>([\s\S]*?)<\/table>/g, (_, rows: string) => {
    if (!/<th>default<\/th>\s*<\/tr>/.test(rows)) return `<table tabindex="0">${rows}</table>`;
    const withRoles = rows
      .replaceAll('<tr>', '<tr role="row">')
      .replaceAll('<th>', '<th role="columnheader">')
      .replaceAll('<td>', '<td role="cell">')
      .replace(/<(thead|tbody)>/g, '<$1 role="rowgroup">');
    return `<table role="table" class="defaults">${withRoles}</table>`;
  });
}

const asides: Record<string, string> = { NOTE: 'note', TIP: 'tip', CAUTION: 'caution' };

/** Makes the alerts of GitHub, which are quotes that begin with `[!TIP]`, into asides of Starlight. */
function withAsides(body: string): string {
  return body.replace(/^> \[!(\w+)\]\n((?:>.*\n?)+)/gm, (_, kind: string, quote: string) => {
    const text = quote.replace(/^> ?/gm, '').trimEnd();
    return `:::${asides[kind] ?? 'note'}\n${text}\n:::\n`;
  });
}

/**
 * Makes relative links that leave this folder, and all of the README, into links to the repository. Pictures are files
 * of the site.
 */
function linkFiles(text: string, { path, base }: { path: string; base: string }): string {
  const withPictures = text.replace(
    /(src|srcset)="(?:docs|\.\.)\/public\//g,
    `$1="${base.replace(/\/$/, '')}/`,
  );
  return withPictures.replace(
    /\]\(([^)\s#:]+)(#[^)]*)?\)/g,
    (link, target: string, anchor = '') => {
      if (!existsSync(new URL(target, new URL(path, docs)))) return link;
      const { href } = new URL(target, new URL(path, `${files}docs/`));
      const isPage = path !== '../README.md' && href.startsWith(`${files}docs/`);
      return isPage ? link : `](${href}${anchor})`;
    },
  );
}

/**
 * Makes links to the files of pages into links to the pages of the site.
 *
 * @throws {Error} for a link to a file that does not exist
 */
function linkPages(body: string, { path, base }: { path: string; base: string }): string {
  return body.replace(/\]\(([^)\s#]+\.md)(#[^)]*)?\)/g, (_, target: string, anchor = '') => {
    const { href } = new URL(target, new URL(path, `${files}docs/`));
    if (!href.startsWith(files)) return `](${href}${anchor})`;
    if (!existsSync(new URL(href.replace(files, '../'), docs)))
      throw new Error(`${path} links to ${target}, which does not exist`);
    const isStart = href === `${files}README.md`;
    if (!isStart && !href.startsWith(`${files}docs/`)) return `](${href}${anchor})`;
    const id = isStart ? 'start' : idOf(href.slice(`${files}docs/`.length));
    return `](${base.replace(/\/$/, '')}/${id}/${anchor})`;
  });
}

function plainText(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}
