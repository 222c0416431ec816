import { type Article, decodeFields, describeType } from '../client/article.ts';
import { ArticlesInvalidError, articleNotice } from '../errors.ts';
import { messageOf } from '../messages.ts';
import { isRecord, sortedObject } from '../shared/json-value.ts';
import type { Transform, TransformContext } from './options.ts';

/**
 * Applies the site's `transform` to an article of the service without its front matter, for a build and for a live page.
 * Fields that are null are added to the result, because a schema may need them.
 *
 * @returns the article that the site shows, or undefined when `transform` leaves it out
 * @throws {ArticlesInvalidError} when `transform` fails, or a field that it returned is not a value of JSON
 */
export async function applyTransform(
  transform: Transform,
  { id, title, content, cover_image, extra }: Article,
  context: TransformContext,
): Promise<Article | undefined> {
  const fields = Object.entries(extra);
  const nulls = fields.filter(([, value]) => value === null);
  const filled = Object.fromEntries(fields.filter(([, value]) => value !== null));
  // A copy, because `transform` may change its argument.
  const copy = structuredClone({ ...filled, id, title, content, cover_image });
  let result: unknown;
  try {
    result = await transform(copy, context);
  } catch (cause) {
    const reason = `\`transform\` failed: ${messageOf(cause)}`;
    throw new ArticlesInvalidError([articleNotice(id, reason)], { cause });
  }
  if (!result) return undefined;
  const article = toArticle(id, result);
  return {
    ...article,
    extra: sortedObject(Object.entries({ ...Object.fromEntries(nulls), ...article.extra })),
  };
}

/** @throws {ArticlesInvalidError} when a field cannot be stored */
function toArticle(id: string, result: unknown): Article {
  if (!isRecord(result)) {
    const reason = `\`transform\` returned ${describeType(result)} instead of an article or \`undefined\``;
    throw new ArticlesInvalidError([articleNotice(id, reason)]);
  }
  const lacking = ['title', 'content'].filter((field) => result[field] === undefined);
  if (lacking.length > 0) {
    const reason = `the value that \`transform\` returned has no \`${lacking.join('` and no `')}\`. Write \`{ ...article, … }\``;
    throw new ArticlesInvalidError([articleNotice(id, reason)]);
  }
  const { article, problems } = decodeFields(result, id);
  if (problems.length > 0) {
    const described = problems.map((notice) => ({
      ...notice,
      text: `the value that \`transform\` returned: ${notice.text}`,
    }));
    throw new ArticlesInvalidError(described);
  }
  return article;
}
