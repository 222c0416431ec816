import { attributeOf, elementsOf, parseHtml, textOf } from '../../src/render/parse-html.ts';
import { deadLinks } from '../helpers/crawl.ts';
import type { Site } from '../helpers/site.ts';
import { type Article, code, secret } from './articles.ts';
import { imageSize, type Server } from './server.ts';
import { type Entry, home } from './site.ts';

/** Returns the differences between a built site and the articles of a server. */
export async function differences(
  site: Site,
  { titleOf = (title) => title, hasOwnDates }: Server,
  articles: readonly Article[],
): Promise<string[]> {
  const found: string[] = [];
  const expectSame = (what: string, actual: unknown, expected: unknown) => {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is !== should) found.push(`${what} is ${is}, and should be ${should}`);
  };
  const entries: Entry[] = JSON.parse(await site.read('dist/entries.json'));
  const published = articles.filter(({ isDraft }) => !isDraft);
  const slugs = (list: readonly { slug: string }[]) => list.map(({ slug }) => slug);
  const [shown, written] = [slugs(entries), slugs(published)];
  const missing = written.filter((slug) => !shown.includes(slug));
  const unexpected = shown.filter((slug) => !written.includes(slug));
  expectSame('the list of missing articles', missing, []);
  expectSame('the list of unexpected articles', unexpected, []);
  expectSame('the number of articles', shown.length, written.length);
  const dates = entries.map(({ date }) => date);
  expectSame('the order of dates', dates, dates.toSorted().reverse());

  for (const article of published) {
    const { slug, text, title, description, date, cover } = article;
    const entry = entries.find((each) => each.slug === slug);
    if (!entry) continue;
    expectSame(`the title of ${slug}`, entry.title, titleOf(title));
    const isSummary = entry.description === description || entry.description.startsWith(text);
    expectSame(`whether ${slug} has its summary, or one of its text,`, isSummary, true);
    if (hasOwnDates) expectSame(`the date of ${slug}`, entry.date, date);
    const { width, height } = entry.cover_image ?? {};
    const size = cover && (await imageSize(cover));
    expectSame(`the cover of ${slug}`, size && { width, height }, size);
    if (!cover) expectSame(`the cover of ${slug}`, entry.cover_image, null);

    const elements = elementsOf(parseHtml(await site.read(`dist/articles/${slug}/index.html`)));
    const named = (name: string) => elements.filter(({ tagName }) => tagName === name);
    expectSame(`the heading of ${slug}`, named('h1').map(textOf), [titleOf(title)]);
    expectSame(
      `the paragraphs of ${slug}`,
      named('p')
        .map(textOf)
        .filter((each) => each !== '' && each !== 'All articles'),
      [text],
    );
    expectSame(
      `the code of ${slug}`,
      named('pre').map((each) => textOf(each).trim()),
      [code],
    );
    expectSame(
      `the links of ${slug}`,
      named('a').map((each) => attributeOf(each, 'href')),
      ['/', `/articles/${article.next}/`],
    );
    const pictures = named('img').map((each) => attributeOf(each, 'src'));
    expectSame(`the number of pictures of ${slug}`, pictures.length, cover ? 2 : 1);
    const remote = pictures.filter((src) => !src?.startsWith('/_astro/'));
    expectSame(`the remote pictures of ${slug}`, remote, []);
  }

  expectSame('the list of dead links', await deadLinks(site, { site: home }), []);
  for (const path of await site.list('dist')) {
    if ((await site.read(`dist/${path}`)).includes(secret)) found.push(`${path} has a draft`);
  }
  return found;
}

/** Returns the difference when the former URL of an article does not lead to the current one. */
export async function missingRedirect(site: Site, from: string, to: string): Promise<string[]> {
  const html = await site.read(`dist/articles/${from}/index.html`).catch(() => '');
  return html.includes(`content="0;url=/articles/${to}/"`)
    ? []
    : [`the former URL of ${to} does not redirect`];
}
