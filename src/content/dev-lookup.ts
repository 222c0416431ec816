import type { LoaderContext } from 'astro/loaders';
import type { MirrorArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { FileOf } from '../render/body-images.ts';
import { entryId, renderedOf } from '../render/render-article.ts';
import { slugOf } from '../render/slug.ts';
import { type ComparedArticle, renderingKey } from './entry-digest.ts';
import type { Renderer } from './renderer.ts';
import type { BodyReader, Finder } from './site-state.ts';

/** Reads the text of an entry for `withBody()`: its digest names its rendering. */
export function bodyReader(
  { mirror, renderer }: { mirror: Mirror; renderer: Renderer },
  fileOf: FileOf,
): BodyReader {
  let articles: Map<string, MirrorArticle> | undefined;
  async function renderAgain(key: string) {
    articles ??= new Map(mirror.index.articles.map((each) => [renderer.keyOf(each), each]));
    const article = articles.get(key);
    return article && renderer.whole(article);
  }
  return async ({ digest = '' }) => {
    const key = renderingKey(String(digest));
    // One whose file was lost or damaged is rendered again.
    const whole = (await renderer.read(key)) ?? (await renderAgain(key));
    return whole && { body: whole.body, rendered: renderedOf(whole.rendering, fileOf) };
  };
}

/** An article that the site shows. */
export interface ShownArticle {
  article: MirrorArticle;
  /** Its place in the listing, from 0. */
  index: number;
}

/** Finds articles for whoever looks at a page in dev. */
export function finder(
  { store }: LoaderContext,
  {
    mirror,
    options,
    shown,
    factsOf,
  }: {
    mirror: Mirror;
    options: ResolvedOptions;
    shown: readonly ShownArticle[];
    factsOf: (shown: ShownArticle) => ComparedArticle;
  },
): Finder {
  let slugs: Promise<Map<string, ShownArticle>> | undefined;
  const bySlug = async () =>
    new Map(
      await Promise.all(shown.map(async (each) => [await slugOf(factsOf(each)), each] as const)),
    );

  return async (name) => {
    slugs ??= bySlug();
    const found = shown.find(({ article }) => article.id === name) ?? (await slugs).get(name);
    if (!found) return undefined;
    const { article } = found;
    const facts = factsOf(found);
    const words = store.get(await entryId(facts, options.entryId))?.data.words;
    return {
      id: article.id,
      title: article.title,
      digest: article.digest,
      cover: facts.cover !== null,
      words: typeof words === 'number' ? words : undefined,
      async read() {
        const text = await mirror.readArticle(article.object);
        return { ...text, cover_image: article.cover };
      },
    };
  };
}
