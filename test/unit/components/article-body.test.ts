import { describe, expect, it } from 'vitest';
import { idPrefixOf } from '../../../src/components/id-prefix.ts';
import { requireArticle } from '../../../src/components/require-article.ts';
import { ArticlesOptionsError } from '../../../src/errors.ts';

describe('the prefix of the ids of a body', () => {
  it('is nothing for the first one of a page, and differs for all others', () => {
    const page = new Request('https://a.example/');
    const slugs = ['tides', 'tides', 'moon', 'tides', 'a folder/über.md'];
    expect(slugs.map((slug) => idPrefixOf(page, slug))).toEqual([
      '',
      'tides-',
      'moon-',
      'tides-2-',
      'a-folder-über.md-',
    ]);
    expect(idPrefixOf(new Request('https://a.example/'), 'tides')).toBe('');
  });
});

describe('a component without an entry as `article`', () => {
  it.each([
    [{}, 'It received none.'],
    [{ entry: { id: '1' }, class: 'x' }, 'It received only `entry`, `class`.'],
    [{ article: undefined }, 'It received none.'],
    [{ article: { title: 'x' } }, 'Its `article` has no `id`.'],
    [{ article: 'tides' }, 'It received none.'],
  ])('says what it needs: %j', (properties, reason) => {
    const check = () => requireArticle('ArticleBody', properties as { article: unknown }, 'id');
    expect(check).toThrow(ArticlesOptionsError);
    expect(check).toThrow(`<ArticleBody> needs \`article={entry}\`. ${reason}`);
  });
});
