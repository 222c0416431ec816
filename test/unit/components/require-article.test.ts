import { describe, expect, it } from 'vitest';
import { requireArticle } from '../../../src/components/require-article.ts';
import { ArticlesOptionsError } from '../../../src/errors.ts';

describe('a component without an entry as `article`', () => {
  it.each([undefined, null, {}, { id: undefined }, { title: 'x' }, 'tides'])(
    'says what it needs: %j',
    (article) => {
      const check = () => requireArticle('ArticleBody', article, 'id');
      expect(check).toThrow(ArticlesOptionsError);
      expect(check).toThrow(
        '<ArticleBody> needs `article={entry}`, with an entry that has its `id`',
      );
    },
  );

  it('may be an entry without the fields that the component does not need', () => {
    expect(() => requireArticle('ArticleBody', { id: '1' }, 'id')).not.toThrow();
    expect(() => requireArticle('ArticleHead', { data: {} }, 'data')).not.toThrow();
  });
});
