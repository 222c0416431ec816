import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { StoredArticle } from '../mirror/stored-article.ts';
import type { RenderedArticle } from '../render/render-article.ts';
import {
  type ArticleSettings,
  createSiteRenderer,
  type MarkdownProcessor,
} from '../render/site-renderer.ts';
import { hash } from '../shared/hash.ts';

/** The stored rendering of an article. */
export interface Rendering extends RenderedArticle {
  /** The Markdown that was rendered. */
  body: string;
  /** Fields of the article that are not part of the contract, for the site's schema. */
  extra: Record<string, unknown>;
}

/** A rendering without its texts, so that those of a large collection are not all in memory. */
export type RenderingFields = Pick<Rendering, 'title' | 'description' | 'words' | 'extra'>;

export function fieldsOf({ title, description, words, extra }: Rendering): RenderingFields {
  return { title, description, words, extra };
}

export interface RendererOptions {
  mirror: Mirror;
  processor: MarkdownProcessor;
  settings: ArticleSettings;
  /** A hash of all known inputs of rendering, except the article. */
  fingerprint: string;
  /** Whether the fingerprint covers all inputs. If not, each load renders all articles again. */
  isCertain: boolean;
}

export type Renderer = ReturnType<typeof createRenderer>;

/** Renders articles with the site's own Markdown settings, and stores the result in the mirror. */
export function createRenderer({
  mirror,
  processor,
  settings,
  fingerprint,
  isCertain,
}: RendererOptions) {
  const renderText = createSiteRenderer(processor);
  /** The keys of the renderings of this load. */
  const rendered = new Set<string>();

  /** Returns the key of a rendering: a hash of the article and of the fingerprint. */
  const keyOf = ({ object }: IndexedArticle) => hash(`${fingerprint} ${object}`);

  return {
    keyOf,

    /** Returns the content hash of an earlier rendering that is still current. */
    find(article: IndexedArticle): string | undefined {
      const key = keyOf(article);
      return isCertain || rendered.has(key) ? mirror.findRendering(key) : undefined;
    },

    /**
     * Renders an article, and writes the result to the mirror.
     *
     * @throws {ArticlesInvalidError} when its Markdown cannot be rendered
     */
    async render(article: IndexedArticle, text: StoredArticle) {
      const { content: body, extra } = text;
      const rendering: Rendering = { ...(await renderText(text, settings)), body, extra };
      const key = keyOf(article);
      rendered.add(key);
      return { hash: await mirror.writeRendering(key, rendering), rendering };
    },

    /** Reads a rendering; undefined when its file is missing or corrupt. */
    read: (article: IndexedArticle) =>
      mirror.readRendering(keyOf(article)) as Promise<Rendering | undefined>,
  };
}
