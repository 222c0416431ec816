import { setImmediate } from 'node:timers/promises';
import { articleData, type RenderedText } from '../entry/article-data.ts';
import { entryDigest, isOwnEntry } from '../entry/digest.ts';
import { ArticlesError, ArticlesInvalidError, articleNotice, type Notice } from '../errors.ts';
import { messageOf, quote } from '../messages.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { renderedContent } from '../render/body-images.ts';
import { pathKey } from '../shared/slug.ts';
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

const articlesPerTurn = 200;

/** The inputs that all entries of a load share. */
interface Making {
  plan: EntryPlan;
  /** The entries of other loaders, by `pathKey()` of their ids. */
  others: ReadonlyMap<string, StoredEntry>;
  load: Load;
}

/**
 * Makes the entries of a load, and parses them with the collection's schema. It requests nothing, and changes nothing in
 * Astro's store. An article that the schema refuses is a notice, and its earlier version is used.
 */
export async function makeEntries(plan: EntryPlan, load: Load) {
  const others = load.astro.all().filter((entry) => !isOwnEntry(entry));
  const byId = new Map(others.map((entry) => [pathKey(entry.id), entry]));
  const making: Making = { plan, others: byId, load };
  /** By the id of the article. Without articles that the schema refuses in every version. */
  const entries = new Map<string, Entry>();
  /** Ids of articles whose newest version the schema refuses. */
  const refused = new Set<string>();
  const notices: Notice[] = [];
  for (const [index, source] of plan.sources.entries()) {
    // Lets other tasks run, V8's garbage collection among them: 50,000 articles would need 1 GB more.
    if (index % articlesPerTurn === 0) await setImmediate();
    const { id } = source.version.article;
    const made = await makeEntry(source, making).catch((error) => {
      notices.push(...noticesOfSchema(error, id));
      refused.add(id);
      return makeEarlier(source, making);
    });
    if (made) entries.set(id, made);
  }
  return { entries, refused, notices };
}

/** Makes the entry of the version that the mirror had before the load; undefined if it cannot be used, either. */
async function makeEarlier(
  { version, position }: EntrySource,
  making: Making,
): Promise<Entry | undefined> {
  const { plan, load } = making;
  const { id, record } = version.article;
  const earlier = load.before.get(id);
  if (!earlier || earlier.record === record) return undefined;
  try {
    const last = await prepareVersion(earlier, load);
    if ('leftOut' in last) return undefined;
    const slug = await plan.owners.slugOfEarlier(last.transformed);
    const source = plan.sourceOf(last, position, slug);
    return await makeEntry(source, making);
  } catch (error) {
    // The notice about the newest version is enough.
    noticesOfSchema(error, id);
    return undefined;
  }
}

/** @throws when its text is missing, the schema refuses it, or another entry has its id or slug */
async function makeEntry(source: EntrySource, { plan, others, load }: Making): Promise<Entry> {
  const { version, id, slug, position, filePath, cover, inputsHash } = source;
  const { options, astro } = load;
  const articleId = version.article.id;
  const other = others.get(pathKey(id));
  if (other) throw sameIdError(articleId, other, options);
  const takeSlug = (data: Record<string, unknown>) =>
    plan.owners.take(articleId, typeof data.slug === 'string' ? data.slug : slug);
  const stored = storedEntry(source, load);
  if (stored) {
    return { id, slug: takeSlug(stored.data), digest: String(stored.digest), version };
  }
  const text = await readText(version, load);
  const common = articleData(text, { slug, cover: cover.file });
  const unparsed = { ...common, position, cover_color: cover.color };
  const parsed = await astro.parse({ id, articleId, data: unparsed, extra: text.extra });
  // Astro's store changes the data that it receives, and a schema may have frozen it.
  const data = { ...parsed };
  const digest = entryDigest(inputsHash, { id: articleId, position }, data);
  const entry = { id, slug: takeSlug(data), digest, version };
  if (astro.stored(id)?.digest === digest) return entry;
  const files = source.bodyFiles.filter((file) => file !== undefined);
  const set = { id, digest, filePath, data, assetImports: [...new Set(files)] };
  if (options.bodies === 'mirror' || !('html' in text)) return { ...entry, set };
  const { body, ...rendering } = text;
  return { ...entry, set: { ...set, body, rendered: renderedContent(rendering, plan.fileOf) } };
}

async function readText(version: RenderedVersion, load: Load): Promise<RenderedText | Rendering> {
  return version.text ?? renderingOf(version, load);
}

/** Returns the error for an article whose entry has the id of an entry of another loader. */
function sameIdError(
  articleId: string,
  { id, filePath }: StoredEntry,
  { entryId }: ResolvedOptions,
): ArticlesInvalidError {
  const owner = filePath ? quote(filePath) : 'an entry of another loader';
  const remedy = entryId === 'slug' ? ', or change the slug of the article' : '';
  const reason = `${owner} has the same id, ${quote(id)}: rename it${remedy}`;
  return new ArticlesInvalidError([articleNotice(articleId, reason)]);
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
