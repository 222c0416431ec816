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
import type { Load } from './load.ts';
import { findRendering, renderVersion, withRendering } from './renderings.ts';
import { indexArticle } from './rows.ts';

/**
 * Transforms and renders a version, or finds the rendering that an earlier load has made of the same.
 *
 * @param given its text. Otherwise it is read from the mirror, where it is needed
 * @throws {ArticlesInvalidError} when it cannot be transformed or rendered, or its text is missing or corrupt
 */
export async function prepareVersion(
  article: IndexedArticle,
  load: Load,
  given?: StoredArticle,
): Promise<Version> {
  const { options, collection, call } = load;
  call.signal.throwIfAborted();
  let transformed = article;
  let source: ReturnType<typeof readSource> | undefined;
  if (options.transform) {
    source = readSource(article, load, given);
    const before = { ...source.text, cover_image: article.cover };
    const context = { collection, frontMatter: source.fields };
    const changed = await applyTransform(options.transform, before, context);
    if (!changed) return { article, leftOut: 'transform', brokenFrontMatter: source.broken };
    transformed = indexArticle(changed, { record: recordOf(changed) });
    source = { ...source, text: storedArticle(changed) };
  }
  if (options.drafts === 'skip' && isDraft(transformed))
    return { article, leftOut: 'draft', brokenFrontMatter: source?.broken };
  // Without `transform`, most versions need no text.
  const known = findRendering(article, transformed, load);
  if (known) return { article: withRendering(article, known), transformed };
  return renderVersion(article, transformed, source ?? readSource(article, load, given), load);
}

/** Returns the text of a version without its front matter, and the fields of that. */
function readSource(
  { id, record }: IndexedArticle,
  { mirror }: Pick<Load, 'mirror'>,
  text = mirror.readArticle(record),
) {
  if (!text) {
    const reason =
      'its text in the mirror is missing or corrupt. A build with `--force` fetches it';
    throw new ArticlesInvalidError([articleNotice(id, reason)]);
  }
  const { content, fields, broken } = splitFrontMatter(text.content);
  return { text: { ...text, content }, fields, broken };
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
    storedRendering(await prepareVersion(version.article, load), load);
  if (rendering) return rendering;
  const reason = 'its HTML was rendered again, but could not be read from the mirror';
  throw new ArticlesInvalidError([articleNotice(version.article.id, reason)]);
}

function storedRendering(
  { article }: Version,
  { mirror }: Pick<Load, 'mirror'>,
): Rendering | undefined {
  const [facts] = article.renderings;
  return facts && (parseJson(mirror.readText(facts.name) ?? '') as Rendering | undefined);
}
