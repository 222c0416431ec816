import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RenderedVersion } from '../../../src/load/article-version.ts';
import { assignSlugs, SlugOwners } from '../../../src/load/slugs.ts';
import type { IndexedArticle } from '../../../src/mirror/formats.ts';
import type { PathHistory } from '../../../src/redirects/history.ts';
import { pathKey, slugOf } from '../../../src/shared/slug.ts';

interface SluggedArticle {
  id: string;
  title: string;
  /** The slug of the service, or an empty text. */
  ownSlug: string;
  /** Whether its page was the last one with this slug. */
  hasPage: boolean;
}

const article = (id: string, ownSlug = '', hasPage = false): SluggedArticle => ({
  ...{ id, title: `Title ${id}`, ownSlug, hasPage },
});

async function assign(
  articles: readonly SluggedArticle[],
  paths: PathHistory = historyOf(articles),
) {
  const versions = articles.map(({ id, title, ownSlug }) => {
    const indexed = { id, title, givenSlug: ownSlug || undefined } as IndexedArticle;
    return { article: indexed, transformed: indexed } satisfies RenderedVersion;
  });
  const { owners, notices } = await assignSlugs(versions, paths);
  const slugs = new Map(articles.map(({ id }) => [id, owners.slugOf(id)]));
  return { slugs, named: notices.map(({ ids }) => ids.join(' ')) };
}

/** Returns the history of articles that have their pages. */
function historyOf(articles: readonly SluggedArticle[]): PathHistory {
  const shown = articles.filter(({ hasPage }) => hasPage);
  return new Map(shown.map(({ id, ownSlug }) => [id, new Map([[`0 ${ownSlug}`, 1]])]));
}

/** How an article is named in a slug that is derived from it, if another article has the usual one. */
const otherSlug = /^title-1-[a-z\d]+$/;

test.each<[what: string, articles: SluggedArticle[], slugs: unknown[], named: string[]]>([
  [
    'keeps its derived slug',
    [article('2', 'title-1-1'), article('1')],
    ['title-2-2', 'title-1-1'],
    ['1 2'],
  ],
  [
    'leaves its derived slug to the page that has it',
    [article('2', 'title-1-1', true), article('1')],
    ['title-1-1', expect.stringMatching(otherSlug)],
    ['2 1'],
  ],
  [
    'whose own and derived slugs are those of others gets another derived one',
    [article('3', 'title-1-1', true), article('2', 'tides', true), article('1', 'Tides')],
    ['title-1-1', 'tides', expect.stringMatching(otherSlug)],
    ['2 1'],
  ],
])('an article %s', async (_, articles, expected, named) => {
  const result = await assign(articles);
  expect(articles.map(({ id }) => result.slugs.get(id))).toEqual(expected);
  expect(new Set(result.slugs.values()).size).toBe(articles.length);
  expect(result.named).toEqual(named);
});

test.each<[what: string, paths: Record<string, Record<string, number>>, owner: string]>([
  ['that had it last', { 1: { '0 tides': 1 }, 2: { '0 tides': 2 } }, '2'],
  [
    'that had it last, in any folder',
    { 1: { '1 posts/tides': 1 }, 2: { '1 notes/tides': 2 } },
    '2',
  ],
  ['that alone had it', { 2: { '0 tides': 1 } }, '2'],
  ['that had it in other letters', { 2: { '0 Tides': 1 } }, '2'],
  ['that is the first one, if none had it,', {}, '3'],
])('of articles with one slug, the one %s keeps it', async (_, paths, owner) => {
  const articles = [article('3', 'tides'), article('2', 'tides'), article('1', 'tides')];
  const history = Object.entries(paths).map(
    ([id, pages]) => [id, new Map(Object.entries(pages))] as const,
  );
  const { slugs } = await assign(articles, new Map(history));
  expect(slugs.get(owner)).toBe('tides');
});

test('the notice about an equal slug names both articles, and the slug that one of them gets', async () => {
  const indexed = ['1', '2'].map((id) => ({ id, title: `Title ${id}`, givenSlug: 'tides' }));
  const versions = indexed.map((each) => ({ article: each, transformed: each }) as RenderedVersion);
  expect((await assignSlugs(versions, new Map())).notices).toEqual([
    { code: 'slug-taken', ids: ['1', '2'], data: { wanted: 'tides', slug: 'title-2-2' } },
  ]);
});

test('slugs that cannot be those of pages are one notice, with the first of them', async () => {
  const slugs = ['tides', 'a/b', '', undefined, 'c?d'];
  const indexed = slugs.map((givenSlug, at) => ({ id: `${at}`, title: `Title ${at}`, givenSlug }));
  const versions = indexed.map((each) => ({ article: each, transformed: each }) as RenderedVersion);
  expect((await assignSlugs(versions, new Map())).notices).toEqual([
    { code: 'slug-unusable', ids: ['1', '4'], data: { wanted: 'a/b', slug: 'title-1-1' } },
  ]);
});

test.each([
  ['capitals', 'tides', 'Tides'],
  ['a mark of its own', 'caf\u00e9', 'cafe\u0301'],
])(
  'two slugs of the schema that differ by %s are an error that names both articles',
  (_, slug, other) => {
    const owners = new SlugOwners();
    owners.take('1', slug);
    // The same article may take it again.
    owners.take('1', slug);
    expect(() => owners.take('2', other)).toThrow(
      `article "2", field slug: the article "1" has the slug "${other}", too, after the collection's schema`,
    );
  },
);

test('gives any articles unique slugs, and the wanted one if no other article wants it', async () => {
  const ids = ['1', '2', '3', '4', '5'];
  const derived = await Promise.all(ids.map((id) => slugOf(article(id))));
  const own = fc.constantFrom('', '', 'tides', 'Tides', ...derived);
  const articles = fc
    .tuple(...ids.map((id) => fc.tuple(fc.constant(id), own, fc.boolean())))
    .map((all) => all.map(([id, slug, hasPage]) => article(id, slug, hasPage && slug !== '')));
  await fc.assert(
    fc.asyncProperty(articles, async (all) => {
      const { slugs, named } = await assign(all);
      expect(new Set([...slugs.values()].map(pathKey)).size).toBe(all.length);
      let others = 0;
      for (const [index, { id, ownSlug, hasPage }] of all.entries()) {
        const wanted = ownSlug || derived[index] || '';
        const isWanted = (each: SluggedArticle, at: number) =>
          each.id !== id && pathKey(each.ownSlug || derived[at] || '') === pathKey(wanted);
        const rivals = all.filter(isWanted);
        if (rivals.length === 0) expect(slugs.get(id)).toBe(wanted);
        if (hasPage && rivals.every((rival) => !rival.hasPage)) expect(slugs.get(id)).toBe(wanted);
        if (!ownSlug && rivals.every((rival) => !rival.hasPage)) expect(slugs.get(id)).toBe(wanted);
        if (slugs.get(id) !== wanted) others += 1;
      }
      expect(named).toHaveLength(others);
    }),
  );
});
