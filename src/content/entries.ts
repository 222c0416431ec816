import { posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { LoaderContext } from 'astro/loaders';
import {
  type ArticleProblem,
  ArticlesError,
  ArticlesInvalidError,
  messageOf,
  quote,
} from '../errors.ts';
import type { Addresses } from '../redirects/history.ts';
import { type FileOf, renderedContent } from '../render/body-images.ts';
import { slugOf } from '../render/slug.ts';
import { noticeOf } from '../shared/notice.ts';
import { version as packageVersion } from '../shared/version.ts';
import type { Load } from '../sync/load.ts';
import type { Images } from '../sync/needed-images.ts';
import type { Rendering } from '../sync/renderer.ts';
import {
  prepareVersion,
  type RenderedVersion,
  renderingOf,
  type Version,
} from '../sync/version.ts';
import { parseEntry } from './article-schema.ts';
import { entryDigest, hashInputs, hasInputs, isOwnEntry } from './entry-digest.ts';
import { coverColorOf, coverOf, createFileOf, entryFolder } from './entry-images.ts';
import { assignSlugs, pathKey } from './slugs.ts';
import { storageProblem } from './storage-problem.ts';

type StoreEntry = Parameters<LoaderContext['store']['set']>[0];

export interface Entry {
  id: string;
  slug: string;
  digest: string;
  version: RenderedVersion;
  /** The data to write to Astro's store; absent when the store already has the entry. */
  set?: StoreEntry;
}

export interface EntrySet {
  /** By the id of the article. Without those that the schema refuses in every version. */
  entries: Map<string, Entry>;
  /** Ids of articles whose newest version the schema refuses. */
  refused: Set<string>;
  fileOf: FileOf;
}

export interface EntryOptions {
  /** The ids of the articles that the site has, in its order. */
  ids: readonly string[];
  versions: ReadonlyMap<string, Version>;
  images: Images;
  /** The number of older articles that are not loaded. */
  older: number;
  /** The slugs that articles have or had. */
  addresses: Addresses;
  /** A hash of what shapes entries, if it is known: if it was the same in the last load, unchanged ones are not parsed. */
  schema: string | undefined;
}

const articlesPerTurn = 200;
/** The key of `schema` in Astro's store. */
export const schemaKey = 'schema';

/**
 * Makes the entries of a load, and parses them with the collection's schema. It does not change the store. An article
 * that the schema refuses is a notice, and its earlier version is used.
 */
export async function makeEntries(
  context: LoaderContext,
  { ids, versions, images, older, addresses, schema }: EntryOptions,
  load: Load,
): Promise<EntrySet> {
  const { mirror, options, before, notices } = load;
  const folder = entryFolder(context);
  const fileOf = createFileOf(images, { context, mirror, folder });
  const entries = new Map<string, Entry>();
  const refused = new Set<string>();
  // Ids of the service may differ only in case.
  const keyOf = options.entryId === 'id' ? (id: string) => id : pathKey;
  const others = new Map(
    context.store
      .values()
      .flatMap((entry) => (isOwnEntry(entry) ? [] : [[keyOf(entry.id), entry] as const])),
  );
  const shown = ids.flatMap((id) => {
    const version = versions.get(id);
    return version && !('leftOut' in version) ? version : [];
  });
  const slugs = await assignSlugs(
    shown.map(({ article: { id }, transformed: { title, ownSlug } }) => ({
      id,
      title,
      ownSlug,
      lastSlug: before.get(id)?.slug ?? lastOf(addresses.get(id)),
    })),
    notices,
  );
  const slugOwners = new Map<string, string>();
  const isSameSchema = schema !== undefined && context.meta.get(schemaKey) === schema;

  for (const [index, id] of ids.entries()) {
    // Lets other tasks run, V8's garbage collection among them: 50,000 articles would need 1 GB more.
    if (index % articlesPerTurn === 0) await setImmediate();
    const version = versions.get(id);
    if (!version || 'leftOut' in version) continue;
    const rank = options.order === 'newest-first' ? ids.length - index : index + 1;
    const entry = await newestUsable(version, older + rank);
    if (!entry) continue;
    entries.set(id, entry);
    slugOwners.set(pathKey(entry.slug), id);
  }
  return { entries, refused, fileOf };

  /** Makes the entry of the newest version that the schema accepts. */
  async function newestUsable(version: RenderedVersion, position: number) {
    const { id, digest } = version.article;
    try {
      return await makeEntry(version, position, slugs.get(id) ?? '');
    } catch (error) {
      notices.push(...entryProblems(error, id).map((problem) => noticeOf(problem)));
      refused.add(id);
    }
    const earlier = before.get(id);
    if (!earlier || earlier.digest === digest) return undefined;
    try {
      const last = await prepareVersion(earlier, load);
      if ('leftOut' in last) return undefined;
      return await makeEntry(last, position, await slugOfEarlier(last, slugs));
    } catch (error) {
      entryProblems(error, id);
      return undefined;
    }
  }

  async function makeEntry(
    version: RenderedVersion,
    position: number,
    slug: string,
  ): Promise<Entry> {
    const { article, transformed } = version;
    const [facts] = article.renderings;
    const id = options.entryId === 'slug' ? slug : article.id;
    const filePath = posix.join(folder, `${slug}.md`);
    const cover = coverOf(transformed, { options, fileOf });
    const color = coverColorOf(transformed, images, options);
    const bodyFiles = facts?.images.map((url) => fileOf(url) ?? null) ?? [];
    const contentHash = facts?.name.split('-')[1];
    const inputs = hashInputs([
      [packageVersion, transformed.digest, contentHash, slug, filePath],
      [cover, color, bodyFiles, options.bodies],
    ]);
    const stored = context.store.get(id);
    const other = others.get(keyOf(id));
    if (other) throw idClash(other, article.id);
    if (isSameSchema && stored && hasInputs(stored.digest, inputs, position)) {
      const entrySlug = uniqueSlug(stored.data, slug, article.id);
      return { id, slug: entrySlug, digest: String(stored.digest), version };
    }

    const rendering = version.fields ?? (await renderingOf(version, load));
    const { title, words, extra } = rendering;
    const data = await parseEntry(context.parseData, {
      id,
      data: {
        ...extra,
        title,
        slug,
        description: ownDescription(extra) ?? rendering.description,
        words,
        position,
        cover_image: cover,
        cover_color: color,
      },
    });
    const problem = storageProblem(data);
    if (problem) throw new ArticlesInvalidError([{ id: article.id, ...problem }]);
    const entrySlug = uniqueSlug(data, slug, article.id);
    const digest = entryDigest(inputs, { ...data, position });
    if (stored?.digest === digest) return { id, slug: entrySlug, digest, version };
    const text =
      options.bodies === 'store'
        ? textOf(await renderingOf(version, load))
        : { assetImports: [...new Set(bodyFiles.filter((file) => file !== null))] };
    return { id, slug: entrySlug, digest, version, set: { id, digest, filePath, data, ...text } };
  }

  /** @throws {ArticlesInvalidError} when the schema has given two articles one slug, so that one page would be lost */
  function uniqueSlug(data: Record<string, unknown>, slug: string, id: string): string {
    const given = typeof data.slug === 'string' ? data.slug : slug;
    const owner = slugOwners.get(pathKey(given));
    if (owner === undefined || owner === id) return given;
    const reason = `the article ${quote(owner)} has the slug ${quote(given)}, too, after the collection's schema`;
    throw new ArticlesInvalidError([{ id, field: 'slug', reason }]);
  }

  function textOf(rendering: Rendering) {
    const rendered = renderedContent(rendering, fileOf);
    return { body: rendering.body, rendered, assetImports: rendered.metadata.imagePaths };
  }
}

/** Returns the slug of an earlier version: that of its page until now, unless another article has it. */
async function slugOfEarlier(
  { article: { id }, transformed: { title, ownSlug } }: RenderedVersion,
  slugs: ReadonlyMap<string, string>,
): Promise<string> {
  const isTaken = [...slugs].some(
    ([other, slug]) => other !== id && ownSlug !== undefined && pathKey(slug) === pathKey(ownSlug),
  );
  return ownSlug === undefined || isTaken ? slugOf({ id, title }) : ownSlug;
}

/** Returns the slug that a build took up last. */
function lastOf(slugs: ReadonlyMap<string, number> | undefined): string | undefined {
  return [...(slugs ?? [])].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

/** Returns the description that the service gives an article, if it has one. */
function ownDescription({ description }: Record<string, unknown>): string | undefined {
  const text = typeof description === 'string' ? description.replace(/\s+/g, ' ').trim() : '';
  return text || undefined;
}

function idClash(
  { id, filePath }: Pick<StoreEntry, 'id' | 'filePath'>,
  articleId: string,
): ArticlesInvalidError {
  const owner = filePath ? `${quote(filePath)} has` : 'another loader has added';
  const reason = `${owner} the id ${quote(id)}, which is the path of its entry`;
  return new ArticlesInvalidError([{ id: articleId, reason }]);
}

/**
 * Returns the problems of an article from the error of its entry.
 *
 * @throws the error, if the article is not its cause
 */
function entryProblems(error: unknown, id: string): readonly ArticleProblem[] {
  if (error instanceof ArticlesInvalidError) return error.problems;
  if (ArticlesError.is(error)) throw error;
  const message = messageOf(error);
  // Astro's message is Markdown of several lines.
  return [{ id, reason: message.replaceAll('**', '').replace(/\s+/g, ' ').trim() }];
}
