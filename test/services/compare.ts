import { attributeOf, elementsOf, parseHtml, textOf } from '../../src/html/parse-html.ts';
import { deadLinks } from '../helpers/crawl.ts';
import type { Site } from '../helpers/site.ts';
import { type Article, code, secret } from './articles.ts';
import { imageSize, type Server } from './server.ts';
import { type Entry, home } from './site.ts';

/** Reports a difference when a value is not the expected one. */
type Compare = (what: string, actual: unknown, expected: unknown) => void;

/** Returns the differences between a built site and the articles of a server. */
export async function differences(
  site: Site,
  server: Server,
  articles: readonly Article[],
): Promise<string[]> {
  const found: string[] = [];
  const compare: Compare = (what, actual, expected) => {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is !== should) found.push(`${what} is ${is}, and should be ${should}`);
  };
  const entries: Entry[] = JSON.parse(await site.read('dist/entries.json'));
  const published = articles.filter(({ isDraft }) => !isDraft);
  compareLists(entries, published, compare);
  for (const article of published) {
    const entry = entries.find(({ slug }) => slug === article.slug);
    if (!entry) continue;
    await compareEntry(entry, article, server, compare);
    const html = await site.read(`dist/articles/${article.slug}/index.html`);
    comparePage(html, entry, article, server, compare);
  }
  compare('the list of dead links', await deadLinks(site, { site: home }), []);
  for (const path of await site.list('dist')) {
    if ((await site.read(`dist/${path}`)).includes(secret)) found.push(`${path} has a draft`);
  }
  return found;
}

/** Returns the differences between German titles and the German versions of articles. */
export function germanDifferences(
  where: string,
  titles: readonly unknown[],
  articles: readonly Article[],
): string[] {
  const written = articles.map(({ title }) => title).toSorted();
  const shown = titles.toSorted();
  return JSON.stringify(shown) === JSON.stringify(written)
    ? []
    : [`the German titles ${where} are ${JSON.stringify(shown)}`];
}

/** Returns the warnings and errors that a build prints. */
export function warningsIn(output: string): string[] {
  return output.match(/.*\[(?:WARN|ERROR)\].*/g) ?? [];
}

/** Returns the values of an attribute in a page, for each element with this name. */
export function valuesIn(html: string, name: string, attribute: string): (string | undefined)[] {
  const elements = elementsOf(parseHtml(html)).filter(({ tagName }) => tagName === name);
  return elements.map((element) => attributeOf(element, attribute));
}

function compareLists(
  entries: readonly Entry[],
  published: readonly Article[],
  compare: Compare,
): void {
  const shown = entries.map(({ slug }) => slug);
  const written = published.map(({ slug }) => slug);
  const missing = written.filter((slug) => !shown.includes(slug));
  const unexpected = shown.filter((slug) => !written.includes(slug));
  compare('the list of missing articles', missing, []);
  compare('the list of unexpected articles', unexpected, []);
  compare('the number of articles', shown.length, written.length);
  const dates = entries.map(({ date }) => date);
  compare('the order of dates', dates, dates.toSorted().reverse());
}

async function compareEntry(
  entry: Entry,
  { slug, text, title, description, tags, date, cover }: Article,
  { titleOf = (title) => title, hasOwnDates, hasTags, author }: Server,
  compare: Compare,
): Promise<void> {
  compare(`the title of ${slug}`, entry.title, titleOf(title));
  const isSummary = entry.description === description || entry.description.startsWith(text);
  compare(`whether ${slug} has its summary, or one of its text,`, isSummary, true);
  if (hasTags) compare(`the tags of ${slug}`, entry.tags, tags);
  compare(`the author of ${slug}`, entry.author, author);
  if (hasOwnDates) compare(`the date of ${slug}`, entry.date, date);
  const { cover_image: image } = entry;
  const shown = image && { width: image.width, height: image.height };
  compare(`the cover of ${slug}`, shown, cover && (await imageSize(cover)));
}

function comparePage(
  html: string,
  { cover_image: image }: Entry,
  { slug, text, title, cover, next }: Article,
  { titleOf = (title) => title, document }: Server,
  compare: Compare,
): void {
  const elements = elementsOf(parseHtml(html));
  const named = (name: string) => elements.filter(({ tagName }) => tagName === name);
  const textsOf = (name: string) => named(name).map(textOf);
  const valuesOf = (name: string, attribute: string) =>
    named(name).map((each) => attributeOf(each, attribute));
  const paragraphs = textsOf('p').filter((each) => each !== '' && each !== 'All articles');
  compare(`the heading of ${slug}`, textsOf('h1'), [titleOf(title)]);
  compare(`the paragraphs of ${slug}`, paragraphs, [text]);
  compare(
    `the code of ${slug}`,
    textsOf('pre').map((each) => each.trim()),
    [code],
  );
  const links = valuesOf('a', 'href').map((href = '') => decodeURI(href));
  compare(`the links of ${slug}`, links, ['/', `/articles/${next}/`, document]);
  const pictures = valuesOf('img', 'src');
  compare(`the number of pictures of ${slug}`, pictures.length, cover ? 2 : 1);
  const [name] = image?.src.split(/\.\w+$/) ?? [];
  const isShown = name && pictures.some((src) => src?.startsWith(name));
  compare(`whether the page of ${slug} shows its cover`, Boolean(isShown), Boolean(cover));
  const remote = pictures.filter((src) => !src?.startsWith('/_astro/'));
  compare(`the remote pictures of ${slug}`, remote, []);
}

/** Returns the difference when the former URL of an article does not lead to the current one. */
export async function missingRedirect(site: Site, from: string, to: string): Promise<string[]> {
  const html = await site.read(`dist/articles/${from}/index.html`).catch(() => '');
  return html.includes(`content="0;url=/articles/${to}/"`)
    ? []
    : [`the former URL of ${to} does not redirect`];
}
