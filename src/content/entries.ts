import { join, posix, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LoaderContext } from 'astro/loaders';
import { divideNulls } from '../client/article.ts';
import {
  type ArticleProblem,
  ArticlesError,
  ArticlesInvalidError,
  messageOf,
  quote,
} from '../errors.ts';
import { lastOwners } from '../redirects/history.ts';
import { type FileOf, renderedContent } from '../render/body-images.ts';
import { escapeImageMarks } from '../render/image-marks.ts';
import { ownSlug, slugOf } from '../render/slug.ts';
import { ownDescription } from '../render/text.ts';
import { hash } from '../shared/hash.ts';
import { resolveImage, unsigned } from '../shared/image-url.ts';
import { noticeOf } from '../shared/notice.ts';
import { version as packageVersion } from '../shared/version.ts';
import {
  prepareVersion,
  type RenderedVersion,
  renderingOf,
  type Version,
} from '../sync/article-version.ts';
import type { Images } from '../sync/fetch.ts';
import type { Load } from '../sync/load.ts';
import { parseWithNulls, reasonOfSchema } from './parse-data.ts';
import { checkParsed } from './schema.ts';
import { assignSlugs, pathKey } from './slugs.ts';
import { type Entry, entryDigest, fingerprintKey, isMadeFrom, isOwnEntry } from './store.ts';

const articlesPerTurn = 200;

/**
 * Makes the entries of a load, and parses them with the collection's schema. It does not change the store. An article
 * that the schema refuses is a notice, and its earlier version is used.
 *
 * @param site `ids`: those of the articles that it has, in its order; `older`: the number of older articles that are not
 *   loaded; `fingerprint`: if it is that of the last load, unchanged entries are not parsed again, except in `astro dev`,
 *   where a schema may be edited at any time
 */
export async function makeEntries(
  context: LoaderContext,
  { ids, older, fingerprint }: { ids: readonly string[]; older: number; fingerprint: string },
  versions: ReadonlyMap<string, Version>,
  images: Images,
  load: Load,
) {
  const { store, meta, watcher } = context;
  const isSameSchema = !watcher && meta.get(fingerprintKey) === fingerprint;
  const { options, before, addresses, notices } = load;
  const { root, srcDir } = context.config;
  // As if entries were Markdown files, because other integrations read `filePath`, and Astro resolves images relative to it.
  const source = relative(fileURLToPath(root), fileURLToPath(srcDir)).split(sep).join('/');
  const folder = posix.join(source, 'content', context.collection);
  const imageFolder = relative(join(fileURLToPath(root), folder), load.mirror.imageFolder);
  const fileOf: FileOf = (url) => {
    const image = images.get(unsigned(url));
    return image && `${imageFolder.split(sep).join('/')}/${image.file}`;
  };
  const others = store.values().filter((entry) => !isOwnEntry(entry));
  const otherIds = new Map(others.map((entry) => [pathKey(entry.id), entry]));

  const owners = lastOwners(addresses);
  const shown = ids.flatMap((id) => {
    const version = versions.get(id);
    if (!version || 'leftOut' in version) return [];
    const { title, givenSlug } = version.transformed;
    const own = ownSlug({ slug: givenSlug }) ?? '';
    const known = before.get(id);
    const owner = owners.get(own)?.id ?? (known?.slug === own ? id : '');
    return { id, title, ownSlug: own, hasPage: owner === id };
  });
  const slugs = await assignSlugs(shown, notices);
  const slugOwners = new Map([...slugs].map(([id, slug]) => [pathKey(slug), id]));

  /** By the id of the article. Without those that the schema refuses in every version. */
  const entries = new Map<string, Entry>();
  /** Ids of articles whose newest version the schema refuses. */
  const refused = new Set<string>();
  for (const [index, id] of ids.entries()) {
    // Lets other tasks run, V8's garbage collection among them: 50,000 articles would need 1 GB more.
    if (index % articlesPerTurn === 0) await setImmediate();
    const version = versions.get(id);
    if (!version || 'leftOut' in version) continue;
    const rank = options.order === 'newest-first' ? ids.length - index : index + 1;
    const entry = await newestUsable(version, older + rank);
    if (entry) entries.set(id, entry);
  }
  return { entries, refused, fileOf };

  /** Makes the entry of the newest version that the schema accepts. */
  async function newestUsable(version: RenderedVersion, position: number) {
    const { id, record } = version.article;
    try {
      return await makeEntry(version, position, slugs.get(id) ?? '');
    } catch (error) {
      notices.push(...entryProblems(error, id).map((problem) => noticeOf(problem)));
      refused.add(id);
    }
    const earlier = before.get(id);
    if (!earlier || earlier.record === record) return undefined;
    try {
      const last = await prepareVersion(earlier, load);
      if ('leftOut' in last) return undefined;
      const { title, givenSlug } = last.transformed;
      const own = ownSlug({ slug: givenSlug });
      const isFree = own !== undefined && [id, undefined].includes(ownerOf(own));
      return await makeEntry(last, position, isFree ? own : await slugOf({ id, title }));
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
    const other = otherIds.get(pathKey(id));
    if (other) {
      const owner = other.filePath ? `${quote(other.filePath)} has` : 'another loader has added';
      const reason = `${owner} the id ${quote(other.id)}, which is the path of its entry`;
      throw new ArticlesInvalidError([{ id: article.id, reason }]);
    }
    const filePath = posix.join(folder, `${slug}.md`);
    const cover = coverOf(transformed.cover);
    const contentHash = facts?.name.split('-')[1];
    const bodyFiles = facts?.images.map((url) => fileOf(url) ?? null);
    const inputs = hash(
      JSON.stringify([packageVersion, options.bodies, filePath, contentHash, cover, bodyFiles]),
    );
    const last = store.get(id);
    if (isSameSchema && last && isMadeFrom(last, inputs, position)) {
      const entry = { id, digest: String(last.digest), version };
      return { ...entry, slug: takeSlug(last.data, slug, article.id) };
    }
    const { title, words, extra, description } = version.made ?? (await renderingOf(version, load));
    const { given, nulls } = divideNulls(extra);
    const unparsed = escapeImageMarks({
      ...given,
      title,
      slug,
      description: ownDescription(extra) ?? description,
      words,
      position,
      cover_image: cover.file,
      cover_color: cover.color,
    });
    // A schema may trim or join texts, so that a text begins with a mark only after parsing. The result is a copy,
    // because Astro's store changes the data that it receives, and a schema may have frozen it.
    const parse = (data: Record<string, unknown>) => context.parseData({ id, data });
    const parsed = await parseWithNulls(parse, unparsed, nulls).catch((error) => {
      // Such as a schema that is missing.
      if (ArticlesError.is(error)) throw error;
      const reason = reasonOfSchema(error, `${context.collection} → ${id}`, extra);
      throw new ArticlesInvalidError([{ id: article.id, reason }]);
    });
    checkParsed(parsed, { id: article.id, cover_image: cover.file }, load);
    const data = escapeImageMarks(parsed, cover.file);
    const digest = entryDigest(inputs, { id: article.id, position }, data);
    const entry = { id, slug: takeSlug(data, slug, article.id), digest, version };
    if (last?.digest === digest) return entry;
    const files = bodyFiles?.filter((file) => file !== null);
    const set = { id, digest, filePath, data, assetImports: [...new Set(files)] };
    if (options.bodies === 'mirror') return { ...entry, set };
    const { body, ...rendering } = await renderingOf(version, load);
    return { ...entry, set: { ...set, body, rendered: renderedContent(rendering, fileOf) } };
  }

  /** Returns the cover for the schema's `image()`: a path relative to the entry's file, or a URL. */
  function coverOf(url: string | null): { file: string | null; color: string | null } {
    if (!url) return { file: null, color: null };
    if (options.images.covers === 'local') {
      return { file: fileOf(url) ?? null, color: images.get(unsigned(url))?.color ?? null };
    }
    const resolved = resolveImage(url, new URL(options.baseUrl));
    return { file: typeof resolved === 'string' ? null : resolved.href, color: null };
  }

  function ownerOf(slug: string): string | undefined {
    return slugOwners.get(pathKey(slug));
  }

  /** @throws {ArticlesInvalidError} when the schema has given two articles one slug, so that one page would be lost */
  function takeSlug(data: Record<string, unknown>, slug: string, id: string): string {
    const given = typeof data.slug === 'string' ? data.slug : slug;
    const owner = ownerOf(given) ?? id;
    slugOwners.set(pathKey(given), owner);
    if (owner === id) return given;
    const reason = `the article ${quote(owner)} has the slug ${quote(given)}, too, after the collection's schema`;
    throw new ArticlesInvalidError([{ id, field: 'slug', reason }]);
  }
}

/**
 * Returns the problems of an article from the error of its entry.
 *
 * @throws the error, if the article is not its cause
 */
function entryProblems(error: unknown, id: string): readonly ArticleProblem[] {
  if (error instanceof ArticlesInvalidError) return error.problems;
  if (ArticlesError.is(error)) throw error;
  return [{ id, reason: messageOf(error) }];
}
