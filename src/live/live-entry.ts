import * as z from 'zod';
import { type Article, hasContent, isDraft, keyInside } from '../client/article.ts';
import { articleData } from '../entry/article-data.ts';
import { ArticlesInvalidError, articleNotice } from '../errors.ts';
import type { Heading } from '../html/headings.ts';
import { createKeyFinder } from '../http/api-key.ts';
import { applyTransform } from '../options/apply-transform.ts';
import type { FieldsOf } from '../shared/check-options.ts';
import { splitFrontMatter } from '../shared/front-matter.ts';
import { resolveImage } from '../shared/image-url.ts';
import { ownSlug, slugOf } from '../shared/slug.ts';
import { cacheTags } from './cache-tags.ts';
import { type LiveLoad, showsDrafts } from './live-options.ts';

/** The data of a live article. */
export interface LiveArticleData {
  /** The title as plain text. A draft without a title has its first heading, or its id. */
  title: string;
  /** The URL of the cover, absolute and https, or null. */
  cover_image: string | null;
  /**
   * The slug of the service, or a slug made of title and id. A build changes one of two equal slugs of the service; a
   * live page does not.
   */
  slug: string;
  /** The description of the service, or plain text of the first paragraph, at most 160 characters. */
  description: string;
  /** The number of words in the text, without its code blocks. */
  words: number;
}

const schema = z.object({
  title: z.string(),
  cover_image: z.string().nullable(),
  slug: z.string(),
  description: z.string(),
  words: z.number(),
} satisfies FieldsOf<LiveArticleData>);

/**
 * The schema of a live entry's `data`, to use unchanged or to `.extend()`. Without a schema, all other fields
 * of the service are in `data` unchecked.
 */
export const liveArticleSchema = schema as typeof schema & { _zod: { output: LiveArticleData } };

/** An article as `getLiveEntry()` and `getLiveCollection()` return it. */
export interface LiveArticle {
  id: string;
  data: LiveArticleData;
  rendered: { html: string; metadata: { headings: Heading[] } };
  cacheHint: { tags: string[] };
}

/**
 * Transforms and renders an article, and returns it as a live entry; undefined if `transform` leaves the article out,
 * or if it is a draft that is not shown.
 *
 * @throws {ArticlesInvalidError} when it cannot be transformed or rendered
 */
export async function toLiveArticle(
  article: Article,
  { client, settings, renderText, collection }: LiveLoad,
): Promise<LiveArticle | undefined> {
  const { apiKey = '', transform, sanitize, links, format } = settings;
  if (createKeyFinder(apiKey)(JSON.stringify(article)))
    throw new ArticlesInvalidError([articleNotice(article.id, keyInside)]);
  const { content: text, fields } = splitFrontMatter(article.content);
  const withText = { ...article, content: text };
  const context = { collection, frontMatter: fields };
  const shown = transform ? await applyTransform(transform, withText, context) : withText;
  if (!shown) return undefined;
  const { id, cover_image, extra } = shown;
  const draft = isDraft({ title: shown.title, hasContent: hasContent(shown) });
  if (draft && !showsDrafts(settings)) return undefined;
  const base = client.baseUrl;
  const rendered = await renderText(shown, { base, sanitize, links, format });
  const cover = cover_image && coverUrl(cover_image, base);
  const slug = ownSlug(extra) ?? (await slugOf(shown));
  return {
    id,
    data: articleData({ ...rendered, extra }, { slug, cover }),
    rendered: { html: rendered.html.join(''), metadata: { headings: rendered.metadata.headings } },
    cacheHint: { tags: cacheTags(collection, id) },
  };
}

/** Returns the absolute URL of a cover. Plain http is accepted for the service's own origin only. */
function coverUrl(cover: string, base: URL): string | null {
  const url = resolveImage(cover, base);
  if (typeof url === 'string') return null;
  return url.protocol === 'https:' || url.origin === base.origin ? url.href : null;
}
