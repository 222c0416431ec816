import { setImmediate } from 'node:timers/promises';
import { articleData, type RenderedText } from '../entry/article-data.ts';
import { entryDigest, isOwnEntry } from '../entry/digest.ts';
import { ArticlesError, ArticlesInvalidError, articleNotice, type Notice } from '../errors.ts';
import { messageOf, quote } from '../messages.ts';
import { type FileOf, renderedContent } from '../render/body-images.ts';
import { escapeImageMarks } from '../shared/image-marks.ts';
import type { RenderedVersion, Rendering, Version } from './article-version.ts';
import type { StoredEntry } from './astro-collection.ts';
import {
  type EntryPlan,
  type EntrySource,
  type PlanInputs,
  planEntries,
  storedEntry,
} from './entry-plan.ts';
import type { Load } from './load.ts';
import { prepareVersion, renderingOf } from './prepare-version.ts';
import { pathKey } from './slugs.ts';

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
type Texts = Map<string, RenderedText | Rendering>;

const articlesPerTurn = 200;

/** Notices about articles, by the id of the article. */
type NoticesById = ReadonlyMap<string, readonly Notice[]>;

/** The entries of a load. */
export interface MadeEntries {
  /** By the id of the article, without articles that the schema refuses in every version. */
  entries: ReadonlyMap<string, Entry>;
  /** The notices about articles whose newest version the schema refuses. */
  refused: NoticesById;
  notices: readonly Notice[];
  /** Returns the path of the file of an image in a text. */
  fileOf: FileOf;
}

/**
 * Makes the entries of a load. If the schema refuses an article that has an earlier version, it makes all entries again
 * with the earlier version, because another article may have the slug of that version.
 *
 * @param ids the ids of the articles that the site has, in its order
 */
export async function makeEntries(
  ids: readonly string[],
  newest: ReadonlyMap<string, Version>,
  inputs: PlanInputs,
  load: Load,
): Promise<MadeEntries> {
  const versions = new Map(newest);
  const texts: Texts = new Map();
  /** The notices about the newest versions of articles whose earlier version is used. */
  const replaced = new Map<string, readonly Notice[]>();
  for (;;) {
    const plan = await planEntries(ids, versions, inputs, load);
    const unreadable = await readTexts(plan, texts, load);
    const parsed = await parseEntries(plan, texts, load);
    const earlier = await earlierVersions(parsed.refused.keys(), versions, load);
    if (earlier.length === 0) {
      const refused = new Map([...parsed.refused, ...replaced]);
      const problems = new Map([...unreadable, ...refused]);
      const notices = [...plan.notices, ...[...problems.values()].flat()];
      return { entries: parsed.entries, refused, notices, fileOf: plan.fileOf };
    }
    for (const version of earlier) {
      const { id } = version.article;
      replaced.set(id, parsed.refused.get(id) ?? []);
      versions.set(id, version);
      texts.delete(id);
    }
  }
}

/** Returns the versions that the mirror had before the load, without those that have been tried. */
async function earlierVersions(
  ids: Iterable<string>,
  current: ReadonlyMap<string, Version>,
  load: Load,
): Promise<Version[]> {
  const versions: Version[] = [];
  for (const id of ids) {
    const earlier = load.before.get(id);
    if (!earlier || earlier.record === current.get(id)?.article.record) continue;
    try {
      versions.push(await prepareVersion(earlier, load));
    } catch (error) {
      // Only the notice about the newest version is reported.
      noticesOfError(error, id);
    }
  }
  return versions;
}

/**
 * Adds the texts that entries are made from. A text that is missing or corrupt in the mirror is rendered again, or
 * fetched.
 *
 * @returns the notices about articles whose texts cannot be read
 */
async function readTexts({ sources }: EntryPlan, texts: Texts, load: Load): Promise<NoticesById> {
  const unreadable = new Map<string, readonly Notice[]>();
  for (const [index, source] of sources.entries()) {
    // Lets other tasks run, V8's garbage collection among them: 50,000 articles would need 1 GB more.
    if (index % articlesPerTurn === 0) await setImmediate();
    const { id } = source.version.article;
    if (texts.has(id) || storedEntry(source, load)) continue;
    try {
      texts.set(id, await readText(source.version, load));
    } catch (error) {
      unreadable.set(id, noticesOfError(error, id));
    }
  }
  return unreadable;
}

async function readText(version: RenderedVersion, load: Load): Promise<RenderedText | Rendering> {
  if (load.options.bodies === 'store') return renderingOf(version, load);
  const { title, description, words, extra } = version.text ?? (await renderingOf(version, load));
  return { title, description, words, extra };
}

/** Parses entries with the collection's schema. It requests nothing, and changes nothing in Astro's store. */
async function parseEntries(
  { sources, owners, fileOf }: EntryPlan,
  texts: Texts,
  load: Load,
): Promise<{ entries: Map<string, Entry>; refused: NoticesById }> {
  const { options, astro } = load;
  const others = astro.all().filter((entry) => !isOwnEntry(entry));
  const otherIds = new Map(others.map((entry) => [pathKey(entry.id), entry]));
  const entries = new Map<string, Entry>();
  const refused = new Map<string, readonly Notice[]>();
  for (const [index, source] of sources.entries()) {
    if (index % articlesPerTurn === 0) await setImmediate();
    const { id } = source.version.article;
    try {
      const entry = await makeEntry(source, texts.get(id));
      if (entry) entries.set(id, entry);
    } catch (error) {
      refused.set(id, noticesOfError(error, id));
    }
  }
  return { entries, refused };

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
    const { data: common, nulls } = articleData(text, { slug, cover: cover.file });
    const unparsed = { ...common, position, cover_color: cover.color };
    const parsed = await astro.parse({ id, articleId, data: unparsed, nulls, extra: text.extra });
    // A schema may trim or join texts, so that a text begins with a mark only after parsing. The result is a copy,
    // because Astro's store changes the data that it receives, and a schema may have frozen it.
    const data = escapeImageMarks(parsed, cover.file);
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
    const owner = other.filePath ? `${quote(other.filePath)} has` : 'another loader has added';
    const reason = `${owner} the id ${quote(other.id)}, which is the path of its entry`;
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
function noticesOfError(error: unknown, id: string): readonly Notice[] {
  if (error instanceof ArticlesInvalidError) return error.notices;
  if (ArticlesError.is(error)) throw error;
  return [articleNotice(id, messageOf(error))];
}
