import * as yaml from 'js-yaml';
import { decodeFields, isDraft, kindOf } from '../client/article.ts';
import { type ArticleProblem, ArticlesInvalidError, messageOf } from '../errors.ts';
import { isRecord } from '../http/json.ts';
import {
  digestOf,
  encodeArticleFile,
  type StoredArticle,
  storedArticle,
} from '../mirror/article-file.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Transform } from '../options/options.ts';
import { splitFrontMatter } from '../render/markdown.ts';
import { hash } from '../shared/hash.ts';
import { JsonValueError, toJsonValue } from '../shared/json-value.ts';

/** The article that `transform` returned, with the text to render. */
interface TransformResult {
  shown: IndexedArticle;
  text: StoredArticle;
}

/** Applies the site's `transform`; undefined when it leaves the article out. */
export type ApplyTransform = (
  article: IndexedArticle,
  text: StoredArticle,
) => Promise<TransformResult | undefined>;

/** Creates a function that applies the site's `transform` to the articles of a collection. */
export function createTransform(transform: Transform, collection: string): ApplyTransform {
  return async (article, { content: source, ...text }) => {
    const { id } = article;
    const { frontMatter: yamlText, content } = splitFrontMatter(source);
    const context = { collection, frontMatter: readFrontMatter(id, yamlText) };
    const { title, extra } = text;
    // A copy, because `transform` may change its argument.
    const copy = structuredClone({ ...extra, id, title, content, cover_image: article.cover });
    const result: unknown = await call(() => transform(copy, context)).catch((cause) => {
      const reason = `\`transform\` failed: ${messageOf(cause)}`;
      throw new ArticlesInvalidError([{ id, reason }], { cause });
    });
    return result ? toTransformResult(article, result) : undefined;
  };
}

/** Calls a function that may throw before it returns a promise. */
async function call<T>(callback: () => T | Promise<T>): Promise<T> {
  return callback();
}

/** @throws {ArticlesInvalidError} when a field cannot be stored */
function toTransformResult(article: IndexedArticle, result: unknown): TransformResult {
  const { id } = article;
  if (!isRecord(result)) {
    const reason = `\`transform\` returned ${kindOf(result)} instead of an article or \`undefined\``;
    throw new ArticlesInvalidError([{ id, reason }]);
  }
  const { article: changed, problems } = decodeFields(result, id);
  if (problems.length > 0) throw new ArticlesInvalidError(problems.map(fromTransform));
  const text = storedArticle(changed);
  return {
    text,
    shown: {
      ...article,
      title: changed.title,
      cover: changed.cover_image,
      draft: isDraft(changed),
      digest: digestOf(changed),
      object: hash(encodeArticleFile(text)),
    },
  };
}

function fromTransform({ reason, ...problem }: ArticleProblem): ArticleProblem {
  return { ...problem, reason: `the value that \`transform\` returned: ${reason}` };
}

/** @throws {ArticlesInvalidError} when the front matter exceeds a limit */
function readFrontMatter(id: string, text: string | undefined): Record<string, unknown> {
  try {
    const value = text === undefined ? undefined : yaml.load(text, { schema: yaml.CORE_SCHEMA });
    return isRecord(value) ? { ...Object(toJsonValue(value)) } : {};
  } catch (error) {
    // Invalid YAML is not an error, because `transform` may not need the fields.
    if (!(error instanceof JsonValueError)) return {};
    const reason = `the value in the front matter: ${error.message}`;
    throw new ArticlesInvalidError([{ id, field: error.path, reason }]);
  }
}
