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
import { type FileOf, renderedContent } from '../render/body-images.ts';
import { slugOf } from '../render/slug.ts';
import { hash } from '../shared/hash.ts';
import { version as packageVersion } from '../shared/version.ts';
import type { LoadedArticles, LoadOptions } from '../sync/pipeline.ts';
import type { PreparedVersion, ShownVersion } from '../sync/prepare.ts';
import type { Rendering } from '../sync/renderer.ts';
import { parseEntry } from './article-schema.ts';
import { callEntryId, pathKey } from './entry-id.ts';
import { coverColorOf, coverOf, createFileOf, entryFolder } from './entry-images.ts';

type StoreEntry = Parameters<LoaderContext['store']['set']>[0];

export interface Entry {
  id: string;
  slug: string;
  digest: string;
  version: ShownVersion;
  /** The data to write to Astro's store; absent when the store already has the entry. */
  set?: StoreEntry;
}

export interface EntrySet {
  entries: Entry[];
  /** The versions to commit: of each article, the newest that the schema accepts; if there is none, the newest. */
  versions: PreparedVersion[];
  problems: ArticleProblem[];
  fileOf: FileOf;
}

const articlesPerTurn = 200;

/**
 * Makes the entries of a load, and parses them with the collection's schema. While the schema is unchanged, an entry
 * that Astro's store already has is not parsed again. This function does not change the store.
 *
 * @throws {ArticlesInvalidError} when the schema refuses an entry and `onInvalid` is `fail`
 */
export async function makeEntries(
  context: LoaderContext,
  loaded: LoadedArticles,
  {
    mirror,
    options,
    isSameSchema,
  }: Pick<LoadOptions, 'mirror' | 'options'> & { isSameSchema: boolean },
): Promise<EntrySet> {
  const { before, preparer } = loaded;
  const folder = entryFolder(context);
  const fileOf = createFileOf(loaded.images, { context, mirror, folder });
  const problems: ArticleProblem[] = [];
  const entries: (Entry | undefined)[] = [];
  const versions = [...loaded.versions];
  // Ids of the service may differ only in case.
  const keyOf = options.entryId === 'id' ? (id: string) => id : pathKey;
  const taken = new Map<string, Entry>();
  const others = new Map(
    context.store
      .values()
      .flatMap((entry) => (isOwnEntry(entry) ? [] : [[keyOf(entry.id), entry] as const])),
  );

  for (const [index, version] of unchangedFirst(loaded)) {
    // Lets other tasks run, V8's garbage collection among them: 50,000 articles would need 1 GB more.
    if (index % articlesPerTurn === 0) await setImmediate();
    const rank = options.order === 'newest-first' ? loaded.versions.length - index : index + 1;
    const position = loaded.older + rank;
    const usable = await newestUsable(version, position);
    if (usable) versions[index] = usable.version;
    if (!usable?.entry) continue;
    entries[index] = usable.entry;
    taken.set(keyOf(usable.entry.id), usable.entry);
  }
  if (problems.length > 0 && options.onInvalid === 'fail') {
    throw new ArticlesInvalidError(problems, {
      hint:
        'Fix the article, the other entry, or the schema of the collection. For example, add `.optional()` to a ' +
        'field that some articles lack.',
    });
  }
  return { entries: entries.filter((entry) => entry !== undefined), versions, problems, fileOf };

  /** Makes the entry of the newest version that the schema accepts. */
  async function newestUsable(version: PreparedVersion, position: number) {
    const { id, digest } = version.article;
    try {
      return { version, entry: await makeEntry(version, position) };
    } catch (error) {
      problems.push(...entryProblems(error, id));
    }
    const earlier = before.get(id);
    if (!earlier || earlier.digest === digest) return undefined;
    try {
      const last = await preparer.prepareVersion(earlier);
      return { version: last, entry: await makeEntry(last, position) };
    } catch (error) {
      entryProblems(error, id);
      return undefined;
    }
  }

  async function makeEntry(
    prepared: PreparedVersion,
    position: number,
  ): Promise<Entry | undefined> {
    const { article, shown } = prepared;
    if (!shown) return undefined;
    const version = { ...prepared, shown };
    const slug = await slugOf(shown);
    const id = await entryIdOf(version, slug);
    const filePath = posix.join(folder, `${slug}.md`);
    const cover = coverOf(shown, { options, fileOf });
    const color = coverColorOf(shown, loaded.images, options);
    const bodyFiles = article.rendering?.images.map((url) => fileOf(url) ?? null) ?? [];
    const inputs = hash(
      JSON.stringify([
        [packageVersion, shown.digest, article.rendering?.hash, position, slug, filePath],
        [cover, color, bodyFiles, options.bodies],
      ]),
    );
    const slugIn = (data: Record<string, unknown>) =>
      typeof data.slug === 'string' ? data.slug : slug;
    const stored = context.store.get(id);
    const other = others.get(keyOf(id));
    if (other) throw clashWith(other, article.id);
    // A digest starts with the hash of the inputs, and ends with that of the parsed data: see `entryDigestOf`.
    if (isSameSchema && typeof stored?.digest === 'string' && stored.digest.startsWith(inputs)) {
      return { id, slug: slugIn(stored.data), digest: stored.digest, version };
    }

    const rendering = version.made ?? (await preparer.renderingOf(version));
    const { title, description, words, extra } = rendering;
    const data = await parseEntry(context.parseData, {
      id,
      data: {
        ...extra,
        title,
        slug,
        description,
        words,
        position,
        cover_image: cover,
        cover_color: color,
      },
    });
    const digest = entryDigestOf(inputs, data);
    if (stored?.digest === digest) return { id, slug: slugIn(data), digest, version };
    const text =
      options.bodies === 'store'
        ? textOf(await preparer.renderingOf(version))
        : { assetImports: [...new Set(bodyFiles.filter((file) => file !== null))] };
    const set = { id, digest, filePath, data, ...text };
    return { id, slug: slugIn(data), digest, version, set };
  }

  /** @throws {ArticlesInvalidError} when `entryId` returns an id that cannot be used, or that of another article */
  async function entryIdOf(version: ShownVersion, slug: string): Promise<string> {
    const { article, shown } = version;
    const { entryId } = options;
    if (typeof entryId === 'string') return entryId === 'slug' ? slug : shown.id;
    const { extra, title } = version.made ?? (await preparer.renderingOf(version));
    const id = await callEntryId(entryId, { ...extra, id: shown.id, title, slug }, article.id);
    const other = taken.get(keyOf(id));
    if (!other) return id;
    const owner = `the entry ${quote(other.id)} of article ${quote(other.version.article.id)}`;
    const reason = `\`entryId\` returned ${quote(id)}, which is the path of ${owner}`;
    throw new ArticlesInvalidError([{ id: article.id, reason }]);
  }

  function textOf(rendering: Rendering) {
    const rendered = renderedContent(rendering, fileOf);
    return { body: rendering.body, rendered, assetImports: rendered.metadata.imagePaths };
  }
}

/**
 * Returns the versions with their places in the listing: first those that the site shows already, then changed ones,
 * then new ones. So a new or changed article cannot take the id of an entry that the site has.
 */
function unchangedFirst({ versions, before }: LoadedArticles): [number, PreparedVersion][] {
  const rank = ({ article }: PreparedVersion) => {
    const known = before.get(article.id);
    if (!known || known.hidden) return 2;
    return known.digest === article.digest ? 0 : 1;
  };
  return [...versions.entries()].toSorted(([, a], [, b]) => rank(a) - rank(b));
}

/** Whether this package wrote an entry. A site may call other loaders for the same collection. */
export function isOwnEntry({ digest }: { digest?: string | number | undefined }): boolean {
  return /^[\da-f]{48}$/.test(String(digest));
}

function clashWith(
  { id, filePath }: Pick<StoreEntry, 'id' | 'filePath'>,
  articleId: string,
): ArticlesInvalidError {
  const owner = filePath ? `${quote(filePath)} has` : 'another loader has added';
  const reason = `${owner} the id ${quote(id)}, which is the path of its entry`;
  return new ArticlesInvalidError([{ id: articleId, reason }]);
}

/** Returns a digest that changes when any part of an entry changes. `isOwnEntry()` recognises it. */
function entryDigestOf(inputs: string, data: unknown): string {
  const text = JSON.stringify(data, (_, value) => {
    if (typeof value === 'bigint') return `${value}n`;
    return value instanceof Map || value instanceof Set ? [...value] : value;
  });
  return `${inputs}${hash(text).slice(0, 16)}`;
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
