import { type Article, decodeFields, kindOf } from '../client/article.ts';
import { ArticlesInvalidError, messageOf } from '../errors.ts';
import { parseFrontMatter, splitFrontMatter } from '../shared/front-matter.ts';
import { isRecord } from '../shared/json-value.ts';
import type { Transform } from './options.ts';

/**
 * Applies the site's `transform` to an article of the service, for a build and for a live page.
 *
 * @returns the article that the site shows, or undefined when `transform` leaves it out
 * @throws {ArticlesInvalidError} when `transform` fails, or a field that it returned is not a value of JSON
 */
export async function applyTransform(
  transform: Transform,
  { id, title, content: source, cover_image, extra }: Article,
  collection: string,
): Promise<Article | undefined> {
  const { frontMatter: yaml = '', content } = splitFrontMatter(source);
  const context = { collection, frontMatter: readFrontMatter(yaml) };
  // A copy, because `transform` may change its argument.
  const copy = structuredClone({ ...extra, id, title, content, cover_image });
  let result: unknown;
  try {
    result = await transform(copy, context);
  } catch (cause) {
    const reason = `\`transform\` failed: ${messageOf(cause)}`;
    throw new ArticlesInvalidError([{ id, reason }], { cause });
  }
  return result ? toArticle(id, result) : undefined;
}

/** @throws {ArticlesInvalidError} when a field cannot be stored */
function toArticle(id: string, result: unknown): Article {
  if (!isRecord(result)) {
    const reason = `\`transform\` returned ${kindOf(result)} instead of an article or \`undefined\``;
    throw new ArticlesInvalidError([{ id, reason }]);
  }
  const { article, problems } = decodeFields(result, id);
  for (const problem of problems) {
    problem.reason = `the value that \`transform\` returned: ${problem.reason}`;
  }
  if (problems.length > 0) throw new ArticlesInvalidError(problems);
  return article;
}

/** Returns the fields of front matter; none if it is not YAML or exceeds a limit, because `transform` may not need them. */
function readFrontMatter(yaml: string): Record<string, unknown> {
  try {
    const value = parseFrontMatter(yaml);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
