import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoaderContext } from 'astro/loaders';
import { platform } from './client/world.ts';
import { ArticlesError, InvalidArticlesError } from './errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import { hash } from './hash.ts';
import { knownLanguages, themeNames } from './languages.ts';
import type { Mirror } from './mirror/mirror.ts';
import type { MirrorArticle } from './mirror/mirror-index.ts';
import { openRenderings } from './mirror/renderings.ts';
import type { ResolvedOptions } from './options.ts';
import {
  type ArticleOutline,
  outlineOf,
  type RenderedArticle,
  renderArticle,
} from './project/entry.ts';

/** What is kept of a rendered article, and the name of the text that it was made from. */
export type Rendering = RenderedArticle & { object: string };

/** Renders articles as the site renders its own Markdown, and each text only once. */
export interface Renderer {
  /** Changes with everything besides an article that shapes its HTML. */
  fingerprint: string;
  /** Names what is made of an article, by all that it is made from. */
  keyOf(article: MirrorArticle): string;
  has(article: MirrorArticle): boolean;
  /** Renders an article, unless that was done before. */
  render(article: MirrorArticle): Promise<Rendering>;
  /** The same, where its HTML is not asked for. */
  outline(article: MirrorArticle): Promise<ArticleOutline>;
  /** The same, for one that is only to be ready later. @returns the images of its body to keep */
  prepare(article: MirrorArticle): Promise<readonly string[] | undefined>;
  /** What was made under a key, while it is kept. */
  read(key: string): Promise<Rendering | undefined>;
  /** At the end of a load: forgets what was made of other articles. */
  keepOnly(articles: readonly MirrorArticle[]): Promise<void>;
}

/** Opens the renderings of a collection; they are in Astro's cache folder wherever the mirror is. */
export async function createRenderer(
  { config, collection, renderMarkdown }: LoaderContext,
  { mirror, options }: { mirror: Mirror; options: ResolvedOptions },
): Promise<Renderer> {
  const folder = join(fileURLToPath(config.cacheDir), 'astro-articles', collection, 'rendered');
  const fingerprint = await fingerprintOf(config, options);
  const { date } = platform;
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
  /** Of what was rendered here, so that its file need not be read for a few words. */
  const outlines = new Map<string, ArticleOutline>();
  const keyOf = ({ object }: MirrorArticle) => hash(`${fingerprint} ${object}`);

  async function render(article: MirrorArticle): Promise<Rendering> {
    return (await renderings.read(keyOf(article))) ?? renderAnew(article);
  }

  async function renderAnew({ id, object, ...article }: MirrorArticle): Promise<Rendering> {
    const text = await mirror.readArticle(object);
    try {
      const rendering = { ...(await renderArticle(text, settings)), object };
      const key = keyOf({ id, object, ...article });
      await renderings.write(key, rendering);
      // Fields that the contract does not name may be large.
      if (Object.keys(text.extra).length === 0) outlines.set(key, outlineOf(rendering));
      return rendering;
    } catch (error) {
      if (ArticlesError.is(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new InvalidArticlesError([{ id, field: 'content', reason }]);
    }
  }

  return {
    fingerprint,
    keyOf,
    has: (article) => renderings.has(keyOf(article)),
    render,
    read: renderings.read,
    outline: async (article) => outlines.get(keyOf(article)) ?? outlineOf(await render(article)),

    async prepare(article) {
      const isReady = renderings.has(keyOf(article));
      if (isReady && !takeImages) return undefined;
      // A list that was made under other settings says nothing about this rendering.
      if (isReady && article.images && mirror.index.fingerprint === fingerprint) {
        return article.images;
      }
      const { images } = outlineOf(await render(article));
      return takeImages ? images : undefined;
    },

    async keepOnly(articles) {
      outlines.clear();
      await renderings.keepOnly(articles.map(keyOf));
    },
  };
}
