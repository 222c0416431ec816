import { z } from 'astro/zod';
import { describe, expect, test } from 'vitest';
import { articleSchema } from '../../src/content/article-schema.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import type { CollectionSchema } from '../helpers/loader-context.ts';
import { useSite } from '../helpers/use-site.ts';

// `entryId` as a function gives entries ids such as `de/tides-1`.

const site = useSite({
  articles: () => [
    { id: 1, title: 'Tides', content: 'The sea.', cover_image: null, language: 'en' },
    { id: 2, title: 'Gezeiten', content: 'Das Meer.', cover_image: null, language: 'de', of: '1' },
  ],
});
type EntryId = Exclude<ArticlesOptions['entryId'], string | undefined>;
const byLanguage: EntryId = ({ language, of, id, slug }) =>
  language === 'de' ? `de/${of ?? id}` : slug;

async function ids(entryId: ArticlesOptions['entryId'], options: ArticlesOptions = {}) {
  const { entries, failure } = await site.load({ ...options, entryId });
  expect(failure).toBeUndefined();
  return [...entries.keys()].sort();
}

describe.each(['store', 'mirror'] as const)(
  '`entryId` as a function, with `bodies: "%s"`,',
  (bodies) => {
    test('gives an entry the id that it returns for the fields of the article', async () => {
      expect(await ids(byLanguage, { bodies })).toEqual(['de/1', 'tides-1']);
      expect(await ids('slug', { bodies })).toEqual(['gezeiten-2', 'tides-1']);
      expect(await ids(byLanguage, { bodies })).toEqual(['de/1', 'tides-1']);
    });

    test('leaves the entry of an unchanged article unchanged, and moves that of a changed one', async () => {
      const first = (await site.load({ entryId: byLanguage, bodies })).entries.get('de/1');
      site.service.change(1, { title: 'High tides' });
      const { entries, failure } = await site.load({ entryId: byLanguage, bodies });
      expect(failure).toBeUndefined();
      expect([...entries.keys()].sort()).toEqual(['de/1', 'high-tides-1']);
      expect(entries.get('de/1')).toEqual(first);
    });
  },
);

const long = 'x'.repeat(251);

test.each<[string, () => unknown, string]>([
  ['is not text', () => 5n, 'returned a bigint instead of text'],
  ['is missing', () => undefined, 'returned nothing instead of text'],
  ['is empty', () => '', 'returned "": it is empty'],
  ['is not usable in a URL', () => 'a\u001b[31m', 'a\\u001b[31m": it contains a control character'],
  ['has an empty segment', () => 'a//b', 'returned "a//b": a path cannot contain'],
  ['begins with a slash', () => '/a', 'returned "/a": a path cannot contain'],
  ['ends with a slash', () => 'a/', 'returned "a/": a path cannot contain'],
  ['leads to another folder', () => 'de/../a', 'returned "de/../a": a path cannot contain'],
  ['leads there encoded', () => 'de/.%2E/a', 'returned "de/.%2E/a": a path cannot contain'],
  ['has a backslash', () => 'de\\a', 'a path cannot contain a backslash'],
  ['is too long for a file name', () => `de/${long}`, 'it has a segment of more than 250 bytes'],
  ['throws', () => raise('no such language'), 'failed: no such language'],
  ['cannot be made', async () => Promise.reject(new Error('no database')), 'failed: no database'],
])('an id that %s is a problem of its article', async (_, entryId, reason) => {
  const { failure } = await site.load({ entryId: entryId as EntryId });
  expect(failure?.problems?.map(({ id }) => id)).toEqual(['1', '2']);
  expect(failure?.message).toContain(reason);
});

test.each([
  ['equal', 'tides', 'tides'],
  ['equal but for their case', 'tides', 'Tides'],
  ['equal but for their Unicode form', 'caf\u00e9', 'cafe\u0301'],
])('names both articles whose ids are %s', async (_, first, second) => {
  const { failure } = await site.load({ entryId: ({ id }) => (id === '1' ? first : second) });
  const entry = `the entry "${first}" of article "1"`;
  const reason = `article "2": \`entryId\` returned "${second}", which is the path of ${entry}`;
  expect(failure?.message).toContain(reason);
});

test('may be asynchronous, and change its argument', async () => {
  site.service.replace([
    { id: 1, title: 'Tides', content: 'The sea.', cover_image: null, tags: ['sea', 'moon'] },
  ]);
  const schema: CollectionSchema = (context) =>
    articleSchema(context).extend({ tags: z.array(z.string()) });
  const entryId: EntryId = async ({ tags, slug }) => `${(tags as string[]).sort()[0]}/${slug}`;
  const { entries } = await site.load({ entryId }, { schema });
  expect(entries.get('moon/tides-1')?.data.tags).toEqual(['sea', 'moon']);
});

describe('An article that the site shows', () => {
  const entryId: EntryId = ({ path }) => String(path);
  const article = (id: number, path: string, more = {}) => {
    return { id, title: `Title ${id}`, content: 'Text.', cover_image: null, path, ...more };
  };
  const schema: CollectionSchema = (context) =>
    articleSchema(context).extend({ bad: z.undefined().optional() });
  const shown = async () => {
    const { entries, failure, warnings } = await site.load(
      { entryId, onInvalid: 'keep' },
      { schema },
    );
    expect(failure).toBeUndefined();
    const titles = [...entries].map(([id, { data }]) => `${id}: ${data.title}`);
    return { titles: titles.sort(), warnings: warnings.join('\n') };
  };

  test.each([
    ['a new article', [article(3, 'b'), article(2, 'b'), article(1, 'a')]],
    ['a changed article', [article(1, 'b'), article(2, 'b')]],
    [
      'a new article while it has a problem',
      [article(3, 'b'), article(2, 'b', { bad: 1 }), article(1, 'a')],
    ],
  ])('keeps its id when %s returns the same', async (_, articles) => {
    site.service.replace([article(2, 'b'), article(1, 'a')]);
    const before = await shown();
    expect(before.titles).toEqual(['a: Title 1', 'b: Title 2']);
    site.service.replace(articles);
    for (let load = 0; load < 2; load++) {
      const { titles, warnings } = await shown();
      expect(titles).toEqual(before.titles);
      expect(warnings).toContain('which is the path of the entry "b" of article "2"');
    }
  });

  test('can swap its id with another one', async () => {
    site.service.replace([article(2, 'b'), article(1, 'a')]);
    await shown();
    site.service.replace([article(2, 'a'), article(1, 'b')]);
    expect((await shown()).titles).toEqual(['a: Title 2', 'b: Title 1']);
  });
});

function raise(message: string): never {
  throw new TypeError(message);
}
