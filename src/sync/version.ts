import { withRowFields } from '../client/article.ts';
import { ArticlesInvalidError } from '../errors.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import { digestOf, type StoredArticle, storedArticle } from '../mirror/stored-article.ts';
import { noticeOf } from '../shared/notice.ts';
import { indexArticle } from './indexed-article.ts';
import type { ListedRow } from './list.ts';
import type { Load } from './load.ts';
import { fieldsOf, type Rendering, type RenderingFacts, type RenderingFields } from './renderer.ts';
import { hashOfRow, provingValue } from './rows.ts';

/** A version of an article, after `transform` and rendering. */
export type Version = RenderedVersion | LeftOutVersion;

/** A version that the site can show. */
export interface RenderedVersion {
  /** The version in the mirror. Its first rendering is that of this load. */
  article: IndexedArticle;
  /** The article that `transform` returned, or else the same one. */
  transformed: IndexedArticle;
  /** What entries need of the rendering, if this load made it. */
  fields?: RenderingFields;
  /** The whole rendering, if this load made it and Astro's store needs its texts. */
  rendering?: Rendering | undefined;
}

/** A version that the site leaves out. */
export interface LeftOutVersion {
  article: IndexedArticle;
  leftOut: 'draft' | 'transform';
}

/** A version that was fetched and written to the mirror. */
export interface FetchedVersion {
  article: IndexedArticle;
  text: StoredArticle;
}

/**
 * Fetches an article and writes it to the mirror; undefined when the service responds 404 or 410, twice.
 *
 * @throws {ArticlesRequestError | ArticlesInvalidError}
 */
export async function fetchVersion(
  row: ListedRow,
  { client, mirror, options, call, notices, before }: Load,
): Promise<FetchedVersion | undefined> {
  const fetched = await client?.getArticle(row.id, call);
  if (!fetched) return undefined;
  for (const note of fetched.notes ?? []) notices.push(noticeOf(note, 'field'));
  const article = withRowFields(fetched, row);
  const digest = digestOf(article);
  const { respondedAt = 0 } = fetched;
  const identity = {
    digest,
    record: mirror.writeArticle(article),
    ...(row.digest === digest && { rowIsWhole: true as const }),
    ...(typeof options.rows === 'object' && {
      changed: provingValue(article.extra, options.rows.changedBy, respondedAt),
      row: hashOfRow(row),
    }),
  };
  const indexed = indexArticle(article, identity);
  const known = before.get(row.id);
  const { renderings } = known?.record === identity.record ? known : indexed;
  return { article: { ...indexed, renderings }, text: storedArticle(article) };
}

/**
 * Transforms and renders a version, unless there is a current rendering of an earlier load.
 *
 * @param row is fetched if the version's text in the mirror is missing or corrupt
 * @throws {ArticlesInvalidError} when it cannot be transformed or rendered, or its text is missing
 */
export async function prepareVersion(
  article: IndexedArticle,
  load: Load,
  { text, row }: { text?: StoredArticle | undefined; row?: ListedRow | undefined } = {},
): Promise<Version> {
  const { transform, call } = load;
  call.signal.throwIfAborted();
  // Without `transform`, most versions need no text.
  const known = transform ? undefined : withoutText(article, article, load);
  if (known) return known;
  const stored = text ?? load.mirror.readArticle(article.record);
  if (!stored) {
    const fetched = row && (await fetchVersion(row, load));
    if (fetched) return prepareVersion(fetched.article, load, fetched);
    const reason = 'its text in the mirror is missing or corrupt';
    throw new ArticlesInvalidError([{ id: article.id, reason }]);
  }
  if (!transform) return render(article, { transformed: article, text: stored }, load);
  const result = await transform(article, stored);
  if (!result) return { article, leftOut: 'transform' };
  return withoutText(article, result.transformed, load) ?? render(article, result, load);
}

/** Returns a version that is left out as a draft, or has a current rendering of an earlier load. */
function withoutText(
  article: IndexedArticle,
  transformed: IndexedArticle,
  { renderer, options }: Load,
): Version | undefined {
  if (transformed.draft && options.drafts === 'skip') return { article, leftOut: 'draft' };
  const facts = renderer.find(article, transformed);
  return facts && { article: withRendering(article, facts), transformed };
}

async function render(
  article: IndexedArticle,
  { transformed, text }: { transformed: IndexedArticle; text: StoredArticle },
  { renderer, options }: Load,
): Promise<RenderedVersion> {
  const { facts, rendering } = await renderer.render(transformed, text);
  return {
    article: withRendering(article, facts),
    transformed,
    fields: fieldsOf(rendering),
    rendering: options.bodies === 'store' ? rendering : undefined,
  };
}

/** Puts a rendering before the one of another fingerprint, so that a preview and a build by turns render nothing again. */
function withRendering(article: IndexedArticle, facts: RenderingFacts): IndexedArticle {
  const [key = ''] = facts.name.split('-');
  const others = article.renderings.filter(({ name }) => !name.startsWith(key));
  return { ...article, renderings: [facts, ...others].slice(0, 2) };
}

/**
 * Reads the rendering of a version. If it is missing or corrupt, the article is rendered again.
 *
 * @throws {ArticlesInvalidError} when it cannot be rendered, or its text is missing
 */
export async function renderingOf(version: RenderedVersion, load: Load): Promise<Rendering> {
  const known = version.rendering ?? storedRendering(version, load);
  if (known) return known;
  const { article } = version;
  const again = await prepareVersion(article, load);
  const rendered =
    'leftOut' in again ? undefined : (again.rendering ?? storedRendering(again, load));
  if (rendered) return rendered;
  const reason = 'its HTML was rendered again, but could not be read from the mirror';
  throw new ArticlesInvalidError([{ id: article.id, reason }]);
}

function storedRendering({ article }: RenderedVersion, { renderer }: Load): Rendering | undefined {
  const [facts] = article.renderings;
  return facts && renderer.read(facts.name);
}
