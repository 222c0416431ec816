import { describe, expect, it } from 'vitest';
import { requireArticle } from '../../../src/components/require-article.ts';
import { ArticlesOptionsError } from '../../../src/errors.ts';

describe('a component without an entry as `article`', () => {
  it.each([
    [{}, 'It received none.'],
    [{ entry: { id: '1' }, class: 'x' }, 'It received only `entry`, `class`.'],
    [{ entry: undefined }, 'It received only `entry`.'],
    [{ article: undefined }, 'It received none.'],
    [{ article: null }, 'It received none.'],
    [{ article: { id: undefined } }, 'Its `article` has no `id`.'],
    [{ article: { title: 'x' } }, 'Its `article` has no `id`.'],
    [{ article: 'tides' }, 'It received none.'],
  ])('says what it needs: %j', (properties, reason) => {
    const check = () => requireArticle('ArticleBody', properties as { article: unknown }, 'id');
    expect(check).toThrow(ArticlesOptionsError);
    expect(check).toThrow(`<ArticleBody> needs \`article={entry}\`. ${reason}`);
  });

  it('may be an entry without the fields that the component does not need', () => {
    expect(() => requireArticle('ArticleBody', { article: { id: '1' } }, 'id')).not.toThrow();
    expect(() => requireArticle('ArticleHead', { article: { data: {} } }, 'data')).not.toThrow();
  });
});
