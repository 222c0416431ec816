import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoaderContext } from 'astro/loaders';
import {
  type ArticleProblem,
  ArticlesError,
  describeProblem,
  InvalidArticlesError,
} from './errors.ts';
import { knownLanguages } from './languages.ts';
import { resolveCover, shownUrl, unsigned } from './mirror/cover-url.ts';
import type { Mirror } from './mirror/mirror.ts';
import type { MirrorArticle, MirrorIndex } from './mirror/mirror-index.ts';
import type { ResolvedOptions } from './options.ts';
import { type ArticleFacts, entryDigest, entryId, toEntry } from './project/entry.ts';
import { version } from './version.ts';

type StoreEntry = Parameters<LoaderContext['store']['set']>[0];

/** What a load did to the collection. */
export interface Applied {
  /** Entries in the collection now. */
  entries: number;
  /** Of those, the ones that were rendered and written. */
  written: number;
  /** Drafts that were left out. */
  drafts: number;
}

/**
 * Makes the collection what the mirror says. Entries whose digest is still right are not touched, the
 * others are rendered, and all changes are made in one synchronous block at the end: Astro saves its
 * store half a second after any change, finished or not.
 *
 * @throws {InvalidArticlesError} when the collection's schema refuses an entry
 * @throws {ArticlesMirrorError} when the mirror lacks a text that is needed
 */
export async function applyToStore(
  context: LoaderContext,
  { mirror, options }: { mirror: Mirror; options: ResolvedOptions },
): Promise<Applied> {
  const { store, logger } = context;
  const { articles } = mirror.index;
  const images = await usableImages(mirror, logger);
  const shown = articles
    .map((article, index) => ({
      article,
      facts: factsOf(article, { index, count: articles.length, images, options }),
    }))
    .filter(({ article }) => !article.draft || options.drafts === 'include');
  const filePath = virtualPath(context, mirror);
  const fingerprint = JSON.stringify([version, filePath, options.baseUrl, options.sanitize]);
  const make = entryMaker(context, { mirror, options, filePath });

  const wanted = new Set<string>();
  const changed: StoreEntry[] = [];
  const problems: ArticleProblem[] = [];
  for (const { article, facts } of shown) {
    const id = entryId(facts, options.entryId);
    const digest = entryDigest(facts, fingerprint);
    wanted.add(id);
    if (store.get(id)?.digest === digest) continue;
    try {
      changed.push({ ...(await make(id, article, facts)), digest });
    } catch (error) {
      if (ArticlesError.is(error)) throw error;
      problems.push({
        id: article.id,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }
  if (problems.length > 0 && options.onInvalid === 'fail') {
    throw new InvalidArticlesError(problems, {
      hint: 'Mend the article, or the schema of the collection.',
    });
  }
  for (const problem of problems) logger.warn(describeProblem(problem));

  for (const id of [...store.keys()]) if (!wanted.has(id)) store.delete(id);
  for (const entry of changed) store.set(entry);
  return { entries: wanted.size, written: changed.length, drafts: articles.length - shown.length };
}

/** The images whose files are there: a cache may have lost some, and Astro would end the build. */
async function usableImages(
  mirror: Mirror,
  logger: LoaderContext['logger'],
): Promise<MirrorIndex['images']> {
  const images = [...mirror.index.images];
  const present = await Promise.all(images.map(([, image]) => mirror.hasImage(image)));
  const lost = images.filter((_, index) => !present[index]).map(([url]) => shownUrl(url));
  if (lost.length > 0) {
    logger.warn(`The mirror has lost covers, which are left out: ${lost.join(', ')}.`);
  }
  return new Map(images.filter((_, index) => present[index]));
}

function factsOf(
  { id, title, digest, cover }: MirrorArticle,
  listing: {
    index: number;
    count: number;
    images: MirrorIndex['images'];
    options: ResolvedOptions;
  },
): ArticleFacts {
  const { index, count, images, options } = listing;
  const position = options.order === 'newest-first' ? count - index : index + 1;
  return { id, title, digest, position, cover: cover && coverValue(cover, images, options) };
}

/** What the schema's `image()` turns into metadata: a file beside the entry's virtual one. */
function coverValue(
  cover: string,
  images: MirrorIndex['images'],
  { images: settings, baseUrl }: ResolvedOptions,
): string | null {
  if (settings.covers === 'remote') {
    const resolved = resolveCover(cover, new URL(baseUrl));
    return 'url' in resolved ? resolved.url.href : null;
  }
  const image = images.get(unsigned(cover));
  return image ? `./${image.file}` : null;
}

function entryMaker(
  { config, renderMarkdown, parseData }: LoaderContext,
  { mirror, options, filePath }: { mirror: Mirror; options: ResolvedOptions; filePath: string },
) {
  const settings = {
    render: (markdown: string) => renderMarkdown(markdown),
    base: new URL(options.baseUrl),
    knowsLanguage: knownLanguages(config.markdown),
    sanitize: options.sanitize,
  };
  return async (id: string, article: MirrorArticle, facts: ArticleFacts): Promise<StoreEntry> => {
    const text = await mirror.readArticle(article.object);
    const { body, rendered, data } = await toEntry(facts, text, settings);
    return { id, body, rendered, filePath, data: await parseData({ id, data }) };
  };
}

/**
 * A file that need not exist, next to the images: Astro resolves an entry's images relative to its
 * file, and wants that relative to the root, so that a cache restored elsewhere still fits.
 */
function virtualPath({ config }: LoaderContext, { imageFolder }: Mirror): string {
  const path = relative(fileURLToPath(config.root), join(imageFolder, 'article.md'));
  return path.split(sep).join('/');
}
