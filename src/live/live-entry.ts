import type { Article } from '../client/article.ts';
import { InvalidArticlesError } from '../errors.ts';
import type { SanitizeOption } from '../render/policy.ts';
import { type Heading, renderArticle } from '../render/render-article.ts';
import { slugOf } from '../render/slug.ts';
import { articleFacts } from '../shared/article-facts.ts';
import { escapeImageMarks } from '../shared/image-marks.ts';
import { resolveImage } from '../shared/image-url.ts';
import { renderMarkdown } from './live-markdown.ts';
import type { LiveArticleData } from './live-schema.ts';

/** An article as `getLiveEntry()` and `getLiveCollection()` return it. */
export interface LiveArticle {
  id: string;
  data: LiveArticleData;
  rendered: { html: string; metadata: { headings: Heading[] } };
  cacheHint: { tags: string[]; lastModified?: Date };
}

export interface LiveArticleOptions {
  collection: string;
  /** The URL that relative URLs in bodies are relative to. */
  base: URL;
  sanitize: SanitizeOption;
  links: 'site' | 'service';
}

/**
 * Renders an article, and returns it as a live entry.
 *
 * @throws {InvalidArticlesError} when its Markdown cannot be rendered
 */
export async function toLiveArticle(
  article: Article,
  { collection, ...options }: LiveArticleOptions,
): Promise<LiveArticle> {
  const { id, cover_image, extra } = article;
  const rendered = await renderArticle(article, { ...options, render: renderMarkdown }).catch(
    (cause: Error) => {
      const problem = { id, field: 'content', reason: cause.message };
      throw new InvalidArticlesError([problem], { cause });
    },
  );
  const { title, description, words, metadata, html } = rendered;
  const cover = cover_image && coverUrl(cover_image, options.base);
  const slug = await slugOf(article);
  const { updated, published } = articleFacts(extra);
  const lastModified = updated ?? published;
  return {
    id,
    data: escapeImageMarks({ ...extra, title, cover_image: cover, slug, description, words }),
    rendered: { html: html.join(''), metadata: { headings: metadata.headings } },
    cacheHint: {
      tags: [collection, articleTag(collection, id)],
      ...(lastModified ? { lastModified } : {}),
    },
  };
}

/**
 * Returns the cache tag of an article. It is ASCII without commas and spaces, because hosts accept only ASCII
 * and use these as separators.
 */
function articleTag(collection: string, id: string): string {
  return `${collection}:${encodeURIComponent(id)}`;
}

/** Returns the absolute URL of a cover. Plain http is accepted for the service's own origin only. */
function coverUrl(cover: string, base: URL): string | null {
  const resolved = resolveImage(cover, base);
  if (resolved.status === 'invalid') return null;
  const { url } = resolved;
  return url.protocol === 'https:' || url.origin === base.origin ? url.href : null;
}
