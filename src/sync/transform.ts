import * as yaml from 'js-yaml';
import { isDraft } from '../client/article.ts';
import { InvalidArticlesError, messageOf } from '../errors.ts';
import { canonicalJson, digestOf, type StoredArticle } from '../mirror/article-file.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { ArticlesOptions } from '../options/options.ts';
import { splitFrontMatter } from '../render/markdown.ts';
import { hash } from '../shared/hash.ts';

type Transform = NonNullable<ArticlesOptions['transform']>;

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
    const { frontMatter, content } = splitFrontMatter(source);
    const context = { collection, frontMatter: readFrontMatter(frontMatter) };
    try {
      const { title, extra } = text;
      // A copy, because `transform` may change its argument.
      const copy = structuredClone({ ...extra, id, title, content, cover_image: article.cover });
      const result = await transform(copy, context);
      return result && toTransformResult(article, result);
    } catch (cause) {
      const reason = `\`transform\` failed: ${messageOf(cause)}`;
      throw new InvalidArticlesError([{ id, reason }], { cause });
    }
  };
}

function toTransformResult(
  article: IndexedArticle,
  result: Awaited<ReturnType<Transform>>,
): TransformResult {
  const { id: _, title = '', content = '', cover_image = null, ...extra } = { ...result };
  const text = { id: article.id, title, content, extra };
  const changed = { ...text, cover_image };
  return {
    text,
    shown: {
      ...article,
      title,
      cover: cover_image,
      draft: isDraft(changed),
      digest: digestOf(changed),
      object: hash(canonicalJson(text)),
    },
  };
}

function readFrontMatter(text: string | undefined): Record<string, unknown> {
  try {
    const value = text === undefined ? undefined : yaml.load(text, { schema: yaml.CORE_SCHEMA });
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // Invalid YAML is not an error, because `transform` may not need the fields.
    return {};
  }
}
