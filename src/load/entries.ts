import { setImmediate } from 'node:timers/promises';
import { articleData, type RenderedText } from '../entry/article-data.ts';
import { entryDigest, isOwnEntry } from '../entry/digest.ts';
import { ArticlesError, ArticlesInvalidError, articleNotice, type Notice } from '../errors.ts';
import { messageOf, quote } from '../messages.ts';
import { renderedContent } from '../render/body-images.ts';
import { ownSlug, pathKey } from '../shared/slug.ts';
import type { RenderedVersion, Rendering } from './article-version.ts';
import type { StoredEntry } from './astro-collection.ts';
import { type EntryPlan, type EntrySource, storedEntry } from './entry-plan.ts';
import type { Load } from './load.ts';
import { prepareVersion, renderingOf } from './prepare-version.ts';

/** The entry of an article. */
export interface Entry {
  id: string;
  slug: string;
  digest: string;
  version: RenderedVersion;
  /** The entry to write to Astro's store; absent when the store already has the entry. */
  set?: EntryToWrite;
}

interface EntryToWrite extends StoredEntry {
  digest: string;
  filePath: string;
  assetImports: string[];
  body?: string;
  rendered?: ReturnType<typeof renderedContent<Rendering['metadata']>>;
}

/** The texts of articles whose entries are not in Astro's store, by id: whole renderings with `bodies: 'store'`. */
type Texts = ReadonlyMap<string, RenderedText | Rendering>;

const articlesPerTurn = 200;

/**
 * Reads the texts that entries are made from. A text that is missing or corrupt in the mirror is rendered again, or
 * fetched.
 */
export async function readTexts(
  { sources }: EntryPlan,
  load: Load,
): Promise<{ texts: Texts; notices: Notice[] }> {
  const texts = new Map<string, RenderedText | Rendering>();
  const notices: Notice[] = [];
  for (const [index, source] of sources.entries()) {
    // Lets other tasks run, V8's garbage collection among them: 50,000 articles would need 1 GB more.
    if (index % articlesPerTurn === 0) await setImmediate();
    if (storedEntry(source, load)) continue;
    const { id } = source.version.article;
    try {
      texts.set(id, await readText(source.version, load));
    } catch (error) {
      notices.push(...noticesOfSchema(error, id));
    }
  }
  return { texts, notices };
}

async function readText(version: RenderedVersion, load: Load): Promise<RenderedText | Rendering> {
  if (load.options.bodies === 'store') return renderingOf(version, load);
  const { title, description, words, extra } = version.text ?? (await renderingOf(version, load));
  return { title, description, words, extra };
}

/**
 * Makes the entries of a load, and parses them with the collection's schema. It requests nothing, and changes nothing in
 * Astro's store. An article that the schema refuses is a notice, and its earlier version is used.
 */
export async function makeEntries(
  { sources, owners, fileOf, sourceOf }: EntryPlan,
  texts: Texts,
  load: Load,
) {
  const { options, astro, before } = load;
  const others = astro.all().filter((entry) => !isOwnEntry(entry));
  const otherIds = new Map(others.map((entry) => [pathKey(entry.id), entry]));
  /** By the id of the article. Without articles that the schema refuses in every version. */
  const entries = new Map<string, Entry>();
  /** Ids of articles whose newest version the schema refuses. */
  const refused = new Set<string>();
  const notices: Notice[] = [];
  for (const [index, source] of sources.entries()) {
    if (index % articlesPerTurn === 0) await setImmediate();
    const entry = await newestUsable(source);
    if (entry) entries.set(source.version.article.id, entry);
  }
  return { entries, refused, fileOf, notices };

  /** Makes the entry of the newest version that the schema accepts. */
  async function newestUsable(source: EntrySource): Promise<Entry | undefined> {
    const { id } = source.version.article;
    try {
      return await makeEntry(source, texts.get(id));
    } catch (error) {
      notices.push(...noticesOfSchema(error, id));
      refused.add(id);
    }
    try {
      return await makeEarlier(source);
    } catch (error) {
      // The notice about the newest version is enough.
      noticesOfSchema(error, id);
      return undefined;
    }
  }

  /** Makes the entry of the version that the mirror had before the load. */
  async function makeEarlier({ version, position }: EntrySource): Promise<Entry | undefined> {
    const { id, record } = version.article;
    const earlier = before.get(id);
    if (!earlier || earlier.record === record) return undefined;
    const last = await prepareVersion(earlier, load);
    if ('leftOut' in last) return undefined;
    const { title, givenSlug } = last.transformed;
    const own = ownSlug({ slug: givenSlug });
    const isFree = own !== undefined && [id, undefined].includes(owners.ownerOf(own));
    const slug = isFree ? own : await owners.freeSlugOf({ id, title });
    const source = sourceOf(last, position, slug);
    return makeEntry(source, await readText(last, load));
  }

  /** Makes an entry; undefined without its text, which is a notice already. */
  async function makeEntry(
    source: EntrySource,
    text: RenderedText | Rendering | undefined,
  ): Promise<Entry | undefined> {
    const { version, id, slug, position, filePath, cover, inputsHash } = source;
    const articleId = version.article.id;
    checkId(source);
    const stored = storedEntry(source, load);
    if (stored) {
      const taken = takeSlug(source, stored.data);
      return { id, slug: taken, digest: String(stored.digest), version };
    }
    if (!text) return undefined;
    const common = articleData(text, { slug, cover: cover.file });
    const unparsed = { ...common, position, cover_color: cover.color };
    const parsed = await astro.parse({ id, articleId, data: unparsed, extra: text.extra });
    // Astro's store changes the data that it receives, and a schema may have frozen it.
    const data = { ...parsed };
    const digest = entryDigest(inputsHash, { id: articleId, position }, data);
    const entry = { id, slug: takeSlug(source, data), digest, version };
    if (astro.stored(id)?.digest === digest) return entry;
    const files = source.bodyFiles.filter((file) => file !== null);
    const set = { id, digest, filePath, data, assetImports: [...new Set(files)] };
    if (options.bodies === 'mirror' || !('html' in text)) return { ...entry, set };
    const { body, ...rendering } = text;
    return { ...entry, set: { ...set, body, rendered: renderedContent(rendering, fileOf) } };
  }

  /** @throws {ArticlesInvalidError} when an entry of another loader has the id */
  function checkId({ id, version }: EntrySource): void {
    const other = otherIds.get(pathKey(id));
    if (!other) return;
    const owner = other.filePath ? quote(other.filePath) : 'an entry of another loader';
    const remedy = options.entryId === 'slug' ? ', or change the slug of the article' : '';
    const reason = `${owner} has the same id, ${quote(other.id)}: rename it${remedy}`;
    throw new ArticlesInvalidError([articleNotice(version.article.id, reason)]);
  }

  /** @throws {ArticlesInvalidError} when the schema has given two articles one slug */
  function takeSlug({ version, slug }: EntrySource, data: Record<string, unknown>): string {
    const given = typeof data.slug === 'string' ? data.slug : slug;
    owners.take(version.article.id, given);
    return given;
  }
}

/**
 * Returns what an error means for its article.
 *
 * @throws the error, if the article is not its cause
 */
function noticesOfSchema(error: unknown, id: string): readonly Notice[] {
  if (error instanceof ArticlesInvalidError) return error.notices;
  if (ArticlesError.is(error)) throw error;
  return [articleNotice(id, messageOf(error))];
}
