import { ArticlesOptionsError } from '../errors.ts';
import { isRecord } from '../shared/json-value.ts';

/**
 * Checks the property `article` of a component.
 *
 * @param component its name
 * @param field the field of an entry that it needs
 * @throws {ArticlesOptionsError} `invalid-options` when the article is missing, or is not an entry
 */
export function requireArticle(component: string, article: unknown, field: 'id' | 'data'): void {
  if (isRecord(article) && article[field] !== undefined) return;
  const message = `<${component}> needs \`article={entry}\`, with an entry that has its \`${field}\`.`;
  throw new ArticlesOptionsError('invalid-options', message, {
    hint: 'Pass a whole entry of getArticles(), getEntry() or getLiveEntry(), and not its `data`. An entry that was not found is undefined.',
  });
}
