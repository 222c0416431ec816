import { isDraft, withRowFields } from '../client/article.ts';
import type { ArticleText } from '../entry/article-data.ts';
import { ArticlesInvalidError, articleNotice } from '../errors.ts';
import { hasExpiringUrls } from '../html/expiring-urls.ts';
import { looksLikeHtml } from '../html/text.ts';
import {
  type IndexedArticle,
  recordOf,
  type StoredArticle,
  storedArticle,
} from '../mirror/formats.ts';
import { applyTransform } from '../options/apply-transform.ts';
import type { RenderedArticle } from '../render/render-article.ts';
import { systemClock } from '../shared/clock.ts';
import { splitFrontMatter } from '../shared/front-matter.ts';
import { hash } from '../shared/hash.ts';
import { parseJson } from '../shared/json-value.ts';
import type { Load, Renderer } from './load.ts';
import { fetchedRow, indexArticle, type ListedRow } from './rows.ts';

/** A version of an article, after `transform` and rendering. */
export type Version = RenderedVersion | LeftOutVersion;

/** A version that the site can show. */
export interface RenderedVersion {
  /** The version in the mirror. Its first rendering is that of this load. */
  article: IndexedArticle;
  /** The article that `transform` returned, or else the same one. */
  transformed: IndexedArticle;
  /** What this load has rendered, so that it need not be read: all with `bodies: 'store'`, or else what entries have. */
  text?: ArticleText | Rendering;
  /** The processor time of its rendering in seconds, if it was measured. */
  seconds?: number | undefined;
  /** Whether this load has rendered it as Markdown, and it looks like HTML. */
  likeHtml?: boolean;
  /** Its row, with which it is fetched if both its text and its rendering are corrupt. */
  row?: ListedRow | undefined;
}

/** A version that the site leaves out. */
export interface LeftOutVersion {
  article: IndexedArticle;
  leftOut: 'draft' | 'transform';
  /** Why `transform` did not get the fields of its front matter. */
  brokenFrontMatter?: string | undefined;
}

/** The stored rendering of an article. */
export interface Rendering extends RenderedArticle, Pick<ArticleText, 'extra'> {
  /** The Markdown that was rendered. */
  body: string;
}

/** Milliseconds that a replica of the service may be behind. */
const maxLag = 60_000;

/**
 * Fetches an article and writes it to the mirror; undefined when the service responds 404 or 410, twice.
 *
 * @throws {ArticlesRequestError | ArticlesInvalidError}
 */
export async function fetchVersion(
  row: ListedRow,
  { client, mirror, options, sourceHash, call, before, idsWithOldUrls }: Load,
) {
  const fetched = await client?.getArticle(row.id, call);
  if (!fetched) return undefined;
  idsWithOldUrls.delete(row.id);
  const { rowFields, ...article } = withRowFields(fetched, row);
  const record = mirror.writeArticle(article);
  const { respondedAt = 0 } = fetched;
  const known = before.get(row.id);
  const field = typeof options.rows === 'object' ? options.rows.changedBy : undefined;
  const hasProof = field !== undefined && !row.isUnlisted;
  // A field that only the row has may be newer than the article, which may come from a replica.
  const fetchedAt = respondedAt - (hasProof && rowFields.includes(field) ? maxLag : 0);
  const indexed = indexArticle(article, {
    record,
    sourceHash,
    ...(row.record === record && { rowIsWhole: true as const }),
    ...(rowFields.length > 0 && { rowFields }),
    ...(hasProof && { row: fetchedRow(article, row, { field, fetchedAt }) }),
  });
  const { renderings } = known?.record === record ? known : indexed;
  const notices = fetched.notes ?? [];
  return { article: { ...indexed, renderings }, text: storedArticle(article), notices };
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
  const { transform } = load.options;
  load.call.signal.throwIfAborted();
  // Without `transform`, most versions need no text.
  const known = transform ? undefined : withoutText(article, article, load);
  if (known) return known;
  const stored = text ?? load.mirror.readArticle(article.record);
  if (!stored) {
    const fetched = row && (await fetchVersion(row, load));
    if (fetched) return prepareVersion(fetched.article, load, fetched);
    const reason = 'its text in the mirror is missing or corrupt';
    throw new ArticlesInvalidError([articleNotice(article.id, reason)]);
  }
  const { content, fields, broken } = splitFrontMatter(stored.content);
  if (!transform) {
    return render(article, { transformed: article, text: { ...stored, content }, broken }, load);
  }
  const given = { ...stored, content, cover_image: article.cover };
  const context = { collection: load.collection, frontMatter: fields };
  const changed = await applyTransform(transform, given, context);
  if (!changed) return { article, leftOut: 'transform', brokenFrontMatter: broken };
  const transformed = indexArticle(changed, { record: recordOf(changed) });
  const result = { transformed, text: storedArticle(changed), broken };
  const version = withoutText(article, transformed, load) ?? (await render(article, result, load));
  return 'leftOut' in version ? { ...version, brokenFrontMatter: broken } : version;
}

/** Returns a version that is left out as a draft, or has a current rendering of an earlier load. */
function withoutText(
  article: IndexedArticle,
  transformed: IndexedArticle,
  load: Load,
): Version | undefined {
  const { renderer, mirror, options } = load;
  if (options.drafts === 'skip' && isDraft(transformed)) return { article, leftOut: 'draft' };
  const key = renderingKey(transformed, renderer);
  const facts = article.renderings.find(({ name }) => name.startsWith(key) && mirror.has(name));
  return facts && renderer.isReusable
    ? { article: withRendering(article, facts), transformed }
    : undefined;
}

const inlineStyle = /<[a-z][^<>]* style="/;

/** Renders a version whose text has no front matter, and writes the rendering to the mirror. */
async function render(
  article: IndexedArticle,
  {
    transformed,
    text,
    broken: brokenFrontMatter,
  }: { transformed: IndexedArticle; text: StoredArticle; broken?: string | undefined },
  load: Load,
): Promise<RenderedVersion> {
  const { renderer, mirror, options } = load;
  const { content: body, extra } = text;
  const { rendered, seconds } = await renderInTurn(text, load);
  const rendering: Rendering = { ...rendered, body, extra };
  const json = JSON.stringify(rendering);
  const name = mirror.writeText(json, renderingKey(transformed, renderer));
  const { title, description, words, dropped } = rendering;
  const images = rendering.images.map(({ url }) => url);
  const html = rendering.html.join('');
  const facts = {
    name,
    images,
    dropped,
    brokenFrontMatter,
    hasStyles: inlineStyle.test(html) || undefined,
    hasExpiringUrls: hasExpiringUrls(html) || undefined,
  };
  return {
    article: withRendering(article, facts),
    transformed,
    // Parsed from its JSON, as in later loads: plugins may put values into the metadata that JSON changes.
    text: options.bodies === 'store' ? JSON.parse(json) : { title, description, words, extra },
    seconds,
    likeHtml: options.format === 'markdown' && looksLikeHtml(body),
  };
}

/**
 * Renders a text. Without Markdown plugins, measures its processor time, and renders it again if its code may have lost
 * colours. With plugins, which may wait, several texts are rendered at the same time, so nothing is measured.
 */
async function renderInTurn(
  text: StoredArticle,
  { renderer }: Load,
): Promise<{ rendered: RenderedArticle; seconds?: number }> {
  return renderer.queue(async () => {
    if (renderer.queue.concurrency > 1) return { rendered: await renderer.render(text) };
    const startedAt = systemClock.date();
    const before = process.cpuUsage();
    const rendered = await renderer.render(text);
    const seconds = process.cpuUsage(before).user / 1_000_000;
    const time = systemClock.date() - startedAt;
    const mayBeCut = time >= maxLineTime && rendered.html.join('').includes('<pre');
    return { rendered: mayBeCut ? await renderer.render(text) : rendered, seconds };
  });
}

/**
 * The time by the clock after which Shiki leaves the rest of a line without colours, in ms (its `tokenizeTimeLimit`, since
 * shikijs/shiki#588; Astro has no setting for it). On a busy machine, the first use of a grammar may take as long.
 */
const maxLineTime = 500;

function renderingKey({ record }: IndexedArticle, { fingerprint }: Renderer): string {
  return hash(`${fingerprint} ${record}`);
}

/** Puts a rendering before the one of another fingerprint, so that a preview and a build by turns render nothing again. */
function withRendering(
  article: IndexedArticle,
  facts: IndexedArticle['renderings'][number],
): IndexedArticle {
  const [key = ''] = facts.name.split('-');
  const others = article.renderings.filter(({ name }) => !name.startsWith(key));
  return { ...article, renderings: [facts, ...others].slice(0, 2) };
}

/**
 * Returns the whole rendering of a version. If it is missing or corrupt in the mirror, the article is rendered again.
 *
 * @throws {ArticlesInvalidError} when it cannot be rendered, or its text is missing
 */
export async function renderingOf(version: RenderedVersion, load: Load): Promise<Rendering> {
  if (version.text && 'html' in version.text) return version.text;
  const rendering =
    storedRendering(version, load) ??
    storedRendering(await prepareVersion(version.article, load, { row: version.row }), load);
  if (rendering) return rendering;
  const reason = 'its HTML was rendered again, but could not be read from the mirror';
  throw new ArticlesInvalidError([articleNotice(version.article.id, reason)]);
}

function storedRendering({ article }: Version, { mirror }: Load): Rendering | undefined {
  const [facts] = article.renderings;
  return facts && (parseJson(mirror.readText(facts.name) ?? '') as Rendering | undefined);
}
