/// <reference types="astro/client" />
import { getImage } from 'astro:assets';
import { build, trailingSlash } from 'astro:config/client';
import { render } from 'astro:content';
import type { ImageMetadata } from 'astro';
import { experimental_AstroContainer as AstroContainer } from 'astro/container';
import { escapeAttribute } from 'entities/escape';
import { type EntryToRead, withBody } from '../content/with-body.ts';
import { ArticlesError, ArticlesInvalidError, articleNotice } from '../errors.ts';
import { messageOf } from '../messages.ts';
import { type GivenDate, pageUrl, readDate, requireSite } from '../shared/page-values.ts';
import { toFeedHtml } from './feed-html.ts';
import { validXml } from './valid-xml.ts';

interface FeedEntry extends EntryToRead {
  data: {
    title: string;
    /** Absent in entries of other collections. */
    description?: string | null | undefined;
    slug?: string | null | undefined;
    cover_image?: ImageMetadata | string | null | undefined;
  };
}

type NameList = string | readonly string[] | null | undefined;

export interface FeedOptions<E> {
  /** The URL of the site: `context.site`. */
  site: URL | string | undefined;
  /** Returns the path of an article's page, or its URL. */
  path: (entry: E) => string;
  /** Returns when an article was published: a `Date`, or text such as `2026-03-02`. @default no date */
  date?: ((entry: E) => GivenDate) | undefined;
  /** The names of the authors: of each article, or the same names for all. @default no author */
  author?: NameList | ((entry: E) => NameList) | undefined;
  /** The topics of each article, or the same topics for all. @default no categories */
  categories?: NameList | ((entry: E) => NameList) | undefined;
  /** Whether the cover is shown above the text. @default true */
  covers?: boolean;
}

/** An item for `@astrojs/rss`. */
export interface FeedItem {
  title: string;
  /** The absolute URL of the article's page. */
  link: string;
  description: string;
  /** The whole article as HTML, with absolute URLs. */
  content: string;
  pubDate?: Date;
  author?: string;
  categories?: string[];
}

const coverWidth = 1200;

/**
 * Returns the items of a feed with whole articles, in the order of the entries:
 *
 * ```ts
 * items: await feedItems(articles, { site, path: ({ data }) => `/articles/${data.slug}/` })
 * ```
 *
 * Images are the optimised images of the site.
 *
 * @throws {ArticlesOptionsError} `site-missing` when astro.config has no `site`, and `invalid-options` for a text that
 *   is not a date
 * @throws {ArticlesInvalidError} for an entry that can be rendered in pages only
 */
export async function feedItems<E extends FeedEntry>(
  entries: readonly E[],
  { site: siteOption, path, date, author, categories, covers = true }: FeedOptions<E>,
): Promise<FeedItem[]> {
  const site = requireSite('feedItems()', siteOption);
  const container = await AstroContainer.create();
  const items: FeedItem[] = [];
  // One after the other, so that only one article is rendered in memory at a time.
  for (const entry of entries) {
    const { title, description, slug, cover_image } = entry.data;
    const published = readDate(date?.(entry), '`date` of feedItems()');
    const authors = namesOf(entry, author);
    const topics = namesOf(entry, categories);
    const page = pageUrl(path(entry), site, { trailingSlash, build });
    const cover = covers && cover_image ? await coverHtml(cover_image) : '';
    const html = cover + (await textHtml(entry, container));
    items.push({
      // A feed without a title and a description is invalid (RSS 2.0, element `item`).
      title: validXml(title).trim() || slug || entry.id,
      link: page.href,
      description: validXml(description ?? ''),
      content: validXml(toFeedHtml(html, page)),
      ...(published ? { pubDate: published } : {}),
      ...(authors.length > 0 ? { author: authors.join(', ') } : {}),
      ...(topics.length > 0 ? { categories: topics } : {}),
    });
  }
  return items;
}

/** @throws {ArticlesInvalidError} when the text cannot be rendered outside of a page */
async function textHtml(entry: FeedEntry, container: AstroContainer): Promise<string> {
  try {
    const { Content } = await render(await withBody(entry));
    return await container.renderToString(Content);
  } catch (error) {
    if (ArticlesError.is(error)) throw error;
    const notice = articleNotice(entry.id, `feedItems() cannot render it: ${messageOf(error)}`);
    const hint =
      'A feed cannot render components of a framework, nor files of MDX. Leave the entry out with `filter()`, and add an ' +
      'item of your own: `[...(await feedItems(others, options)), { title, link, description }]`.';
    throw new ArticlesInvalidError([notice], { hint, cause: error });
  }
}

function namesOf<E>(entry: E, option: NameList | ((entry: E) => NameList)): string[] {
  const names = typeof option === 'function' ? option(entry) : option;
  return [names ?? []].flat().map(validXml);
}

async function coverHtml(cover: ImageMetadata | string): Promise<string> {
  if (typeof cover === 'string') return `<p><img src="${escapeAttribute(cover)}" alt=""></p>`;
  // A vector image has no pixels to save.
  const target = cover.format === 'svg' ? {} : { width: Math.min(coverWidth, cover.width) };
  const { src, attributes } = await getImage({ src: cover, ...target });
  const { width, height } = attributes;
  const size = width && height ? `width="${width}" height="${height}"` : '';
  return `<p><img src="${escapeAttribute(src)}" alt="" ${size}></p>`;
}
