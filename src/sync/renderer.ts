import * as z from 'zod';
import { InvalidArticlesError, messageOf } from '../errors.ts';
import type { StoredArticle } from '../mirror/article-file.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { type ProcessorParts, probeProcessor } from '../render/processor-parts.ts';
import {
  type RenderedArticle,
  type RenderSettings,
  renderArticle,
} from '../render/render-article.ts';
import { hash } from '../shared/hash.ts';

/** The stored rendering of an article. */
export interface Rendering extends RenderedArticle {
  /** The Markdown that was rendered. */
  body: string;
  /** Fields of the article that are not part of the contract, for the site's schema. */
  extra: Record<string, unknown>;
}

export interface RenderResult {
  /** The hash of the rendering's content. */
  hash: string;
  rendering: Rendering;
}

/** Renders articles with the site's own Markdown settings, and caches the result. */
export interface Renderer {
  /** Returns the content hash of an earlier rendering that is still current. */
  find(article: IndexedArticle): string | undefined;
  /**
   * Renders an article and writes the result to the mirror.
   *
   * @throws {InvalidArticlesError} when its Markdown cannot be rendered
   */
  render(article: IndexedArticle, text: StoredArticle): Promise<RenderResult>;
  /** Reads a rendering; undefined when its file is missing or corrupt. */
  read(article: IndexedArticle): Promise<Rendering | undefined>;
  /** Returns the key of a rendering: a hash of the article and of the fingerprint. */
  keyOf(article: IndexedArticle): string;
}

export interface RendererOptions {
  mirror: Mirror;
  settings: Omit<RenderSettings, 'processorParts'>;
  /** A hash of all known inputs of rendering, except the article. */
  fingerprint: string;
  /** Whether the fingerprint covers all inputs. If not, each load renders all articles again. */
  isCertain: boolean;
}

export function createRenderer(options: RendererOptions): Renderer {
  const { mirror, fingerprint, isCertain } = options;
  const { render } = options.settings;
  let parts: Promise<ProcessorParts> | undefined;
  /** Content hashes of the renderings of this load, by key. */
  const rendered = new Map<string, string>();
  const keyOf = ({ object }: IndexedArticle) => hash(`${fingerprint} ${object}`);

  return {
    keyOf,

    find(article) {
      const key = keyOf(article);
      return rendered.get(key) ?? (isCertain ? mirror.findRendering(key) : undefined);
    },

    async render(article, text) {
      const { content: body, extra } = text;
      // Only on first use, because most loads render nothing.
      parts ??= probeProcessor(render);
      const settings = { ...options.settings, processorParts: await parts };
      const rendering = { ...(await renderOrFail(text, settings)), body, extra };
      const key = keyOf(article);
      const contentHash = await mirror.writeRendering(key, rendering);
      rendered.set(key, contentHash);
      return { hash: contentHash, rendering };
    },

    async read(article) {
      const stored = await mirror.readRendering(keyOf(article));
      return isRendering(stored) ? stored : undefined;
    },
  };
}

const text = z.string();
const renderingSchema = z.object({
  title: text,
  description: text,
  words: z.number(),
  body: text,
  html: z.array(text),
  images: z.array(
    z.object({ url: text, html: text, attributes: z.looseObject({ alt: text.optional() }) }),
  ),
  metadata: z.looseObject({
    headings: z.array(z.object({ depth: z.number(), slug: text, text })),
  }),
  dropped: z.array(text),
  extra: z.record(text, z.unknown()),
});

/** Checks the shape, because the hash in a file name does not prove that this package wrote the file. */
function isRendering(value: unknown): value is Rendering {
  return renderingSchema.safeParse(value).success;
}

async function renderOrFail(
  text: StoredArticle,
  settings: RenderSettings,
): Promise<RenderedArticle> {
  try {
    return await renderArticle(text, settings);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new InvalidArticlesError([{ id: text.id, field: 'content', reason }], { cause });
  }
}
