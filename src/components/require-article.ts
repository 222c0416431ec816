import { ArticlesOptionsError } from '../errors.ts';
import { isRecord } from '../shared/json-value.ts';

/**
 * Checks the property `article` of a component.
 *
 * @param component its name
 * @param field the field of an entry that it needs
 * @throws {ArticlesOptionsError} `invalid-options` when the article is missing, or is not an entry
 */
export function requireArticle(
  component: string,
  properties: { article: unknown },
  field: 'id' | 'data',
): void {
  const { article, ...others } = properties;
  if (isRecord(article) && article[field] !== undefined) return;
  const names = Object.keys(others).map((name) => `\`${name}\``);
  const missing = names.length > 0 ? `It received only ${names.join(', ')}.` : 'It received none.';
  const reason = isRecord(article) ? `Its \`article\` has no \`${field}\`.` : missing;
  const message = `<${component}> needs \`article={entry}\`. ${reason}`;
  throw new ArticlesOptionsError('invalid-options', message, {
    hint: 'Pass a whole entry of getArticles(), getEntry() or getLiveEntry(), and not its `data`. An entry that was not found is undefined.',
  });
}
