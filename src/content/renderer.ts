import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoaderContext } from 'astro/loaders';
import { ArticlesError, InvalidArticlesError } from '../errors.ts';
import type { StoredArticle } from '../mirror/article-file.ts';
import type { MirrorArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import {
  type ArticleOutline,
  outlineOf,
  type RenderedArticle,
  renderArticle,
} from '../render/render-article.ts';
import { systemClock } from '../shared/clock.ts';
import { hash } from '../shared/hash.ts';
import type { Prepare } from '../sync/fetch-articles.ts';
import { openRenderings } from '../sync/renderings.ts';
import { fingerprintOf } from './fingerprint.ts';
import { knownLanguages, themeNames } from './languages.ts';

/** What is kept of a rendered article, and the name of the text that it was made from. */
export type Rendering = RenderedArticle & { object: string };

/** An article with its HTML and its Markdown. */
export interface WholeArticle {
  rendering: Rendering;
  body: string;
}

/** Renders articles as the site renders its own Markdown, and each text only once. */
export interface Renderer {
  /** Changes with everything besides an article that shapes its HTML. */
  fingerprint: string;
  /** Names what is made of an article, by all that it is made from. */
  keyOf(article: MirrorArticle): string;
  has(article: MirrorArticle): boolean;
  /** Renders an article, unless that was done before. */
  whole(article: MirrorArticle): Promise<WholeArticle>;
  /** Renders an article whose text and HTML are not asked for, unless that was done before. */
  outline(article: MirrorArticle): Promise<ArticleOutline>;
  /** Renders an article that is only to be ready later, unless that was done before. */
  prepare: Prepare;
  /** What was made under a key, while it is kept. */
  read(key: string): Promise<WholeArticle | undefined>;
  /** At the end of a load: forgets what was made of other articles, but for what is held under `keys`. */
  keepOnly(articles: readonly MirrorArticle[], keys: readonly string[]): Promise<void>;
}

/** Opens the renderings of a collection; they are in Astro's cache folder wherever the mirror is. */
export async function createRenderer(
  { config, collection, renderMarkdown }: LoaderContext,
  { mirror, options }: { mirror: Mirror; options: ResolvedOptions },
): Promise<Renderer> {
  const folder = join(fileURLToPath(config.cacheDir), 'astro-articles', collection, 'rendered');
  const fingerprint = await fingerprintOf(config, options);
  const { date } = systemClock;
  const renderings = await openRenderings<Rendering>(folder, { fingerprint, date });
  const takeImages = options.images.body === 'local';
  const settings = {
    render: (markdown: string) => renderMarkdown(markdown),
    base: new URL(options.baseUrl),
    knowsLanguage: knownLanguages(config.markdown),
    themes: themeNames,
    sanitize: options.sanitize,
    takeImages,
  };
  /** What goes to Astro's store of articles that were rendered here: their files need not be read. */
  const outlines = new Map<string, ArticleOutline>();
  const wholes = new Map<string, WholeArticle>();
  const keyOf = ({ object }: MirrorArticle) => hash(`${fingerprint} ${object}`);

  async function render(article: MirrorArticle): Promise<Rendering> {
    return (await renderings.read(keyOf(article))) ?? (await make(article)).rendering;
  }

  async function read(key: string): Promise<WholeArticle | undefined> {
    const rendering = await renderings.read(key);
    if (!rendering) return undefined;
    const { content: body } = await mirror.readArticle(rendering.object);
    return { rendering, body };
  }

  async function make(article: MirrorArticle, stored?: StoredArticle): Promise<WholeArticle> {
    const { id, object } = article;
    const text = stored ?? (await mirror.readArticle(object));
    try {
      const rendering = { ...(await renderArticle(text, settings)), object };
      await renderings.write(keyOf(article), rendering);
      return { rendering, body: text.content };
    } catch (error) {
      if (ArticlesError.is(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new InvalidArticlesError([{ id, field: 'content', reason }]);
    }
  }

  function remember(key: string, whole: WholeArticle): void {
    if (options.bodies === 'store') wholes.set(key, whole);
    // Fields that the contract does not name may be large.
    else if (Object.keys(whole.rendering.extra).length === 0) {
      outlines.set(key, outlineOf(whole.rendering));
    }
  }

  return {
    fingerprint,
    keyOf,
    has: (article) => renderings.has(keyOf(article)),
    read,
    outline: async (article) => outlines.get(keyOf(article)) ?? outlineOf(await render(article)),

    async whole(article) {
      const key = keyOf(article);
      return wholes.get(key) ?? (await read(key)) ?? make(article);
    },

    async prepare(article, stored) {
      const key = keyOf(article);
      if (!renderings.has(key)) {
        const whole = await make(article, stored);
        remember(key, whole);
        return takeImages ? outlineOf(whole.rendering).images : undefined;
      }
      if (!takeImages) return undefined;
      // A list that was made under other settings says nothing about this rendering.
      if (article.images && mirror.index.fingerprint === fingerprint) return article.images;
      return outlineOf(await render(article)).images;
    },

    async keepOnly(articles, keys) {
      outlines.clear();
      wholes.clear();
      await renderings.keepOnly([...articles.map(keyOf), ...keys]);
    },
  };
}
