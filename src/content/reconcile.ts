import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoaderContext } from 'astro/loaders';
import {
  type ArticleProblem,
  ArticlesError,
  describeProblem,
  InvalidArticlesError,
} from '../errors.ts';
import { isShown, type MirrorArticle, type MirrorIndex } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { FileOf } from '../render/body-images.ts';
import { dataOf, entryId, outlineOf, renderedOf } from '../render/render-article.ts';
import { slugOf } from '../render/slug.ts';
import type { Logger } from '../report/load-report.ts';
import { resolveImage, shownUrl, unsigned } from '../shared/image-url.ts';
import { bodyReader, finder, type ShownArticle } from './dev-lookup.ts';
import { type ComparedArticle, entryDigest } from './entry-digest.ts';
import { type Held, heldBy } from './kept-entries.ts';
import type { Renderer } from './renderer.ts';
import { siteAt } from './site-state.ts';

type StoreEntry = Parameters<LoaderContext['store']['set']>[0];

/** Where entries come from. */
export interface Source {
  mirror: Mirror;
  renderer: Renderer;
  options: ResolvedOptions;
  logger: Logger;
  /** The images that articles showed before this load: entries may stay as they were. */
  earlierImages: MirrorIndex['images'];
}

/** Characters of text and HTML up to which Astro's store, one string of at most 2^29, serves well. */
const roomForTexts = 2 ** 27;
const outgrown =
  'This collection has outgrown Astro’s content store: its texts alone make it larger than 128 MB, which ' +
  "slows every build down, and at 512 MB Astro fails. Set `bodies: 'mirror'`, and render entries by " +
  '`render(await withBody(entry))`.';

/** What a load did to the collection. */
export interface Applied {
  /** Entries in the collection now. */
  entries: number;
  /** Drafts that were left out. */
  drafts: number;
  /** What entries still need that stayed as they were. */
  held: Held;
}

/**
 * Makes the collection what the mirror says. Entries whose digest is still right are not touched, the
 * others are rendered, and all changes are made in one synchronous block at the end: Astro saves its
 * store half a second after any change, finished or not.
 *
 * @throws {InvalidArticlesError} when the collection's schema refuses an entry
 * @throws {ArticlesMirrorError} when the mirror lacks a text that is needed
 */
export async function applyToStore(context: LoaderContext, source: Source): Promise<Applied> {
  const { store } = context;
  const { mirror, renderer, options, logger } = source;
  const { articles } = mirror.index;
  const fileOf = await usableImages(source);
  const shown = articles
    .map((article, index) => ({ article, index }))
    .filter(({ article }) => isShown(article, options));
  const factsOf = createFacts({ count: articles.length, fileOf, options });
  const filePath = virtualFile(context, mirror);
  const fingerprint = JSON.stringify([renderer.fingerprint, filePath, options.bodies]);

  const wanted = new Set<string>();
  const changed: StoreEntry[] = [];
  const problems: ArticleProblem[] = [];
  const held: Held = { files: [], keys: [] };
  const lost: string[] = [];
  for (const each of shown) {
    const { article } = each;
    const facts = factsOf(each);
    const id = await entryId(facts, options.entryId);
    const digest = entryDigest(facts, { key: renderer.keyOf(article), fingerprint });
    wanted.add(id);
    const isReady = options.bodies === 'store' || renderer.has(article);
    if (isReady && store.get(id)?.digest === digest) continue;
    try {
      const entry = await toEntry(article, { source, fileOf });
      const data = await context.parseData({ id, data: await dataOf(facts, entry.outline) });
      changed.push({ id, digest, filePath, data, ...entry.stored });
    } catch (error) {
      problems.push(...entryProblems(error, article.id));
      const earlier = store.get((await earlierId(store, facts, options)) ?? id);
      const needs = earlier && (await heldBy(earlier, source));
      wanted.delete(id);
      if (earlier && !needs) lost.push(article.id);
      if (!needs) continue;
      wanted.add(earlier.id);
      held.files.push(...needs.files);
      held.keys.push(...needs.keys);
    }
  }
  if (problems.length > 0 && options.onInvalid === 'fail') {
    throw new InvalidArticlesError(problems, {
      hint:
        'Mend the article, or the schema of the collection: a field that some articles lack needs ' +
        '`.optional()` there.',
    });
  }
  for (const problem of problems) logger.warn(describeProblem(problem), 'articles');
  for (const id of lost) {
    logger.warn(
      `Article "${id}" is left out: files of its last good version are lost.`,
      'articles',
    );
  }

  for (const id of [...store.keys()]) if (!wanted.has(id)) store.delete(id);
  for (const entry of changed) store.set(entry);
  if (textsIn(store) > roomForTexts) logger.warn(outgrown);
  const site = siteAt(context.config.root);
  site.bodies.set(context.collection, bodyReader(source, fileOf));
  if (context.watcher) {
    site.finders.set(context.collection, finder(context, { mirror, options, shown, factsOf }));
  }
  return {
    entries: store.keys().length,
    drafts: articles.length - shown.length,
    held,
  };
}

/** The entry that an article had before, whose slug may have been made of another title. */
async function earlierId(
  store: LoaderContext['store'],
  { id }: ComparedArticle,
  { entryId: kind }: ResolvedOptions,
): Promise<string | undefined> {
  if (kind === 'id') return id;
  const end = await slugOf({ id, title: '' });
  return [...store.keys()].find((name) => name === end || name.endsWith(`-${end}`));
}

/** How many characters of text and HTML a store holds. */
function textsIn(store: LoaderContext['store']): number {
  const lengths = store
    .values()
    .map(({ body = '', rendered }) => body.length + (rendered?.html.length ?? 0));
  return lengths.reduce((total, length) => total + length, 0);
}

/** What of an article goes to the store: with `bodies: 'mirror'` no text, but still its images. */
async function toEntry(
  article: MirrorArticle,
  { source: { renderer, options }, fileOf }: { source: Source; fileOf: FileOf },
) {
  if (options.bodies === 'mirror') {
    const outline = await renderer.outline(article);
    const assetImports = new Set(outline.images.flatMap((url) => fileOf(url) ?? []));
    return { outline, stored: { assetImports: [...assetImports] } };
  }
  const { rendering, body } = await renderer.whole(article);
  const rendered = renderedOf(rendering, fileOf);
  const assetImports = rendered.metadata.imagePaths;
  return { outline: outlineOf(rendering), stored: { body, rendered, assetImports } };
}

/** @throws what is no fault of the article alone */
function entryProblems(error: unknown, id: string): readonly ArticleProblem[] {
  if (error instanceof InvalidArticlesError) return error.problems;
  if (ArticlesError.is(error)) throw error;
  const message = error instanceof Error ? error.message : String(error);
  // Astro's own, with marks of Markdown and the entry's name in the first of several lines.
  const reason = message
    .replaceAll('**', '')
    .replace(/^.* data does not match/, 'its data does not match');
  return [{ id, reason: reason.replace(/\s+/g, ' ').trim() }];
}

/** The images whose files are there: a cache may have lost some, and Astro would end the build. */
async function usableImages({ mirror, logger, earlierImages }: Source): Promise<FileOf> {
  const { images: current } = mirror.index;
  const images = [...new Map([...earlierImages, ...current]).values()];
  const present = await Promise.all(images.map(mirror.hasImage));
  const lost = images
    .filter(({ url }, position) => !present[position] && current.has(url))
    .map(({ url }) => shownUrl(url));
  if (lost.length > 0) {
    logger.warn(`The mirror has lost images, which are left out: ${lost.join(', ')}.`, 'images');
  }
  const usable = images.filter((_, position) => present[position]);
  const files = new Map(usable.map(({ url, file }) => [url, `./${file}`]));
  return (url) => files.get(unsigned(url));
}

interface Listing {
  /** How many articles there are, with those that are not shown. */
  count: number;
  fileOf: FileOf;
  options: ResolvedOptions;
}

/** Made when they are asked for: those of all articles at once would only take memory. */
function createFacts({
  count,
  fileOf,
  options,
}: Listing): (shown: ShownArticle) => ComparedArticle {
  return ({ article: { id, title, digest, cover, images = [] }, index }) => ({
    id,
    title,
    digest,
    position: options.order === 'newest-first' ? count - index : index + 1,
    cover: cover && coverValue(cover, { fileOf, options }),
    images: images.map((url) => fileOf(url) ?? null),
  });
}

/** What the schema's `image()` turns into metadata: a file beside the entry's virtual one. */
function coverValue(
  cover: string,
  { fileOf, options }: { fileOf: FileOf; options: ResolvedOptions },
): string | null {
  if (options.images.covers === 'local') return fileOf(cover) ?? null;
  const resolved = resolveImage(cover, new URL(options.baseUrl));
  return 'url' in resolved ? resolved.url.href : null;
}

/**
 * The file that Astro is told all entries come from, relative to the site's root so that a cache fits
 * that is restored elsewhere. It need not exist: Astro only resolves the images of an entry from there.
 */
function virtualFile({ config }: LoaderContext, { imageFolder }: Mirror): string {
  const path = join(imageFolder, 'articles.md');
  return relative(fileURLToPath(config.root), path).split(sep).join('/');
}
