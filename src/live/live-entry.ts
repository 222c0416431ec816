import type { Article } from '../client/article.ts';
import { InvalidArticlesError } from '../errors.ts';
import { dataOf, type Heading, renderArticle } from '../render/render-article.ts';
import type { Widening } from '../render/sanitize.ts';
import { resolveImage } from '../shared/image-url.ts';
import { renderMarkdown } from './live-markdown.ts';
import type { LiveArticleData } from './live-schema.ts';

/** An article as `getLiveEntry()` and `getLiveCollection()` give it. */
export interface LiveArticle {
  id: string;
  data: LiveArticleData;
  rendered: { html: string; metadata: { headings: Heading[] } };
  cacheHint: { tags: string[] };
}

/** @throws {InvalidArticlesError} when its Markdown cannot be rendered */
export async function toLiveArticle(
  article: Article,
  { collection, base, sanitize }: { collection: string; base: URL; sanitize: boolean | Widening },
): Promise<LiveArticle> {
  const { id, title, cover_image } = article;
  const options = { render: renderMarkdown, base, sanitize };
  const rendered = await renderArticle(article, options).catch((error) => {
    throw new InvalidArticlesError([{ id, field: 'content', reason: String(error.message) }]);
  });
  const cover = cover_image && coverUrl(cover_image, base);
  return {
    id,
    data: await dataOf({ id, title, cover }, rendered),
    rendered: { html: rendered.html, metadata: { headings: rendered.metadata.headings } },
    cacheHint: { tags: [collection, articleTag(collection, id)] },
  };
}

/** Hosts separate tags by commas or spaces, and take ASCII only. */
function articleTag(collection: string, id: string): string {
  return `${collection}:${encodeURIComponent(id)}`;
}

/** Readers get covers from where they are, so plain http is for the service's own origin only. */
function coverUrl(cover: string, base: URL): string | null {
  const resolved = resolveImage(cover, base);
  if (!('url' in resolved)) return null;
  const { url } = resolved;
  return url.protocol === 'https:' || url.origin === base.origin ? url.href : null;
}
