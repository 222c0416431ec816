import type { RenderedText } from '../entry/article-data.ts';
import type { IndexedArticle } from '../mirror/formats.ts';
import type { RenderedArticle } from '../render/render-article.ts';

/** A version of an article, after `transform` and rendering. */
export type Version = RenderedVersion | LeftOutVersion;

/** A version that the site can show. */
export interface RenderedVersion {
  /** The version in the mirror. Its first rendering is the rendering of this load. */
  article: IndexedArticle;
  /** The article that `transform` returned, or else `article`. */
  transformed: IndexedArticle;
  /** What this load has rendered, so that it need not be read: all with `bodies: 'store'`, or else what entries have. */
  text?: RenderedText | Rendering;
  /** Whether this load has rendered it as Markdown, and it looks like HTML. */
  likeHtml?: boolean;
}

/** A version that the site leaves out. */
export interface LeftOutVersion {
  article: IndexedArticle;
  leftOut: 'draft' | 'transform';
  /** Why `transform` did not get the fields of its front matter. */
  brokenFrontMatter?: string | undefined;
}

/** The stored rendering of an article. */
export interface Rendering extends RenderedArticle, Pick<RenderedText, 'extra'> {
  /** The Markdown that was rendered. */
  body: string;
}
