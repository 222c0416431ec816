import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { StoredArticle } from '../mirror/stored-article.ts';
import { looksLikeHtml } from '../render/html-text.ts';
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

/** What later loads have to know of a rendering, so that they need not read it. */
export type RenderingFacts = IndexedArticle['renderings'][number];

export interface RendererOptions {
  mirror: Mirror;
  processor: MarkdownProcessor;
  settings: ArticleSettings;
  /** A hash of everything that shapes a rendering, except the article. */
  fingerprint: string;
  /** Whether renderings of earlier loads are used. */
  isReusable: boolean;
}

export type Renderer = ReturnType<typeof createRenderer>;

/** Renders articles with the site's own Markdown settings, and stores the result in the mirror. */
export function createRenderer({
  mirror,
  processor,
  settings,
  fingerprint,
  isReusable,
}: RendererOptions) {
  const renderText = createSiteRenderer(processor);
  let rendered = 0;
  const likeHtml: string[] = [];

  /** Returns the key of a rendering: a hash of the article and of the fingerprint. */
  const keyOf = ({ record }: IndexedArticle) => hash(`${fingerprint} ${record}`);

  return {
    /**
     * Finds an earlier rendering that is still current.
     *
     * @param article the version in the mirror, whose index entry names its last renderings
     * @param transformed the article to render
     */
    find(article: IndexedArticle, transformed: IndexedArticle): RenderingFacts | undefined {
      if (!isReusable) return undefined;
      const key = keyOf(transformed);
      const known = article.renderings.find(({ name }) => name.startsWith(`${key}-`));
      if (known) return mirror.has(known.name) ? known : undefined;
      // A load that failed may have rendered the article.
      const name = mirror.findRendering(key);
      const rendering = name === undefined ? undefined : this.read(name);
      return name !== undefined && rendering ? factsOf(name, rendering) : undefined;
    },

    /**
     * Renders an article, and writes the result to the mirror.
     *
     * @throws {ArticlesInvalidError} when its Markdown cannot be rendered
     */
    async render(transformed: IndexedArticle, text: StoredArticle) {
      const { content: body, extra } = text;
      const rendering: Rendering = { ...(await renderText(text, settings)), body, extra };
      rendered += 1;
      if (settings.format !== 'html' && looksLikeHtml(body)) likeHtml.push(text.id);
      const name = mirror.writeRendering(keyOf(transformed), rendering);
      return { facts: factsOf(name, rendering), rendering };
    },

    /** Returns how many articles were rendered. */
    rendered: () => rendered,

    /** Ids of articles that were rendered as Markdown, and look like HTML. */
    likeHtml,

    /** Reads a rendering; undefined when it is missing or corrupt. */
    read: (name: string) => mirror.readRendering(name) as Rendering | undefined,
  };
}

function factsOf(name: string, { images, dropped }: Rendering): RenderingFacts {
  return { name, images: images.map(({ url }) => url), dropped };
}
