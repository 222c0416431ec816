import { isDraft } from '../client/article.ts';
import { ArticlesInvalidError, articleNotice } from '../errors.ts';
import {
  type IndexedArticle,
  recordOf,
  type StoredArticle,
  storedArticle,
} from '../mirror/formats.ts';
import { applyTransform } from '../options/apply-transform.ts';
import { splitFrontMatter } from '../shared/front-matter.ts';
import { parseJson } from '../shared/json-value.ts';
import type { RenderedVersion, Rendering, Version } from './article-version.ts';
import { fetchVersion } from './fetch-version.ts';
import type { Load } from './load.ts';
import { renderVersion, reuseRendering } from './renderings.ts';
import { indexArticle, type ListedRow } from './rows.ts';

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
  const known = transform ? undefined : versionWithoutText(article, article, load);
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
    return renderVersion(
      article,
      { transformed: article, text: { ...stored, content }, broken },
      load,
    );
  }
  const given = { ...stored, content, cover_image: article.cover };
  const context = { collection: load.collection, frontMatter: fields };
  const changed = await applyTransform(transform, given, context);
  if (!changed) return { article, leftOut: 'transform', brokenFrontMatter: broken };
  const transformed = indexArticle(changed, { record: recordOf(changed) });
  const result = { transformed, text: storedArticle(changed), broken };
  const version =
    versionWithoutText(article, transformed, load) ?? (await renderVersion(article, result, load));
  return 'leftOut' in version ? { ...version, brokenFrontMatter: broken } : version;
}

/** Returns a version that is left out as a draft, or has a current rendering of an earlier load. */
function versionWithoutText(
  article: IndexedArticle,
  transformed: IndexedArticle,
  load: Load,
): Version | undefined {
  if (load.options.drafts === 'skip' && isDraft(transformed)) return { article, leftOut: 'draft' };
  return reuseRendering(article, transformed, load);
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
