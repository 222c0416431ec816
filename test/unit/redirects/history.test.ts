import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { planRedirects } from '../../../src/redirects/plan.ts';
import {
  encodeHistory,
  readPublishedHistory,
  type SiteHistory,
} from '../../../src/redirects/published-history.ts';
import { slugOf } from '../../../src/render/slug.ts';
import { runs } from '../../helpers/runs.ts';

/**
 * Promise P9, on random histories: a site is built after each few changes in the service, sometimes without
 * its mirror. The history is then read from the published site.
 */

interface Article {
  id: string;
  title: string;
  isPublic: boolean;
}

type Change =
  | { kind: 'rename'; collection: number; article: number; title: number }
  | { kind: 'swap'; collection: number; article: number; other: number }
  | { kind: 'publish' | 'unpublish' | 'delete'; collection: number; article: number }
  | { kind: 'build'; mirror: 'kept' | 'lost'; history: 'kept' | 'lost' };

const titles = [
  'Tides',
  'How tides work',
  'Prices',
  '',
  'Über uns',
  '日本の庭',
  'A, b & c!',
  'Tides-a1',
];
const ids = ['a1', '7', 'b2', '550e8400-e29b-41d4-a716-446655440000', 'Ä/ö', '__proto__'];
const collections = ['articles', 'news'];

const pick = (length: number) => fc.nat({ max: length - 1 });
const place = { collection: pick(collections.length), article: pick(ids.length) };
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('rename' as const),
      ...place,
      title: pick(titles.length),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('swap' as const), ...place, other: pick(ids.length) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('publish' as const, 'unpublish' as const, 'delete' as const),
      ...place,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('build' as const),
      mirror: fc.constantFrom('kept' as const, 'kept' as const, 'lost' as const),
      history: fc.oneof(
        { weight: 6, arbitrary: fc.constant('kept' as const) },
        { weight: 1, arbitrary: fc.constant('lost' as const) },
      ),
    }),
  },
);

type MutableHistory = Map<string, Map<string, string[]>>;

/** Creates a service, the site of its articles, and the state that a build leaves for the next one. */
function createWorld() {
  const services = collections.map(() => new Map<string, Article>());
  let mirror: MutableHistory = new Map();
  let published: string | undefined;
  /** The collection and id of the article that a build published at each path. */
  const built = new Map<string, { collection: number; id: string }>();
  let isServed = (_address: string) => 'nothing' as 'page' | 'redirect' | 'nothing';

  async function build({ mirror: state, history }: Extract<Change, { kind: 'build' }>) {
    if (history === 'lost') published = undefined;
    if (state === 'lost') {
      mirror = new Map();
      const respond = async () =>
        published === undefined
          ? new Response('not found', { status: 404 })
          : new Response(published);
      const read = await readPublishedHistory(new URL('https://site.example'), respond);
      if (read.status === 'read') mirror = mutable(read.history);
      // Without the history, the slugs that only the mirror contained are lost.
      else built.clear();
    }

    const pages: string[] = [];
    const articles: { slug: string; former: readonly string[] }[] = [];
    for (const [index, name] of collections.entries()) {
      const articleSlugs = mirror.get(name) ?? new Map<string, string[]>();
      mirror.set(name, articleSlugs);
      for (const article of services[index]?.values() ?? []) {
        if (!article.isPublic) continue;
        const { id } = article;
        const slug = await slugOf(article);
        const slugs = (articleSlugs.get(id) ?? []).filter((other) => other !== slug);
        articleSlugs.set(id, [...slugs, slug]);
        articles.push({ slug, former: slugs });
        for (const page of [`${name}/${slug}/`, `all/${slug}/1/`]) {
          pages.push(page);
          built.set(page, { collection: index, id });
        }
      }
    }
    published = encodeHistory(mirror);

    const redirects = planRedirects({
      pages: pages.map((path) => ({ path })),
      articles,
      existing: () => false,
    });
    const targets = new Map(redirects.map(({ from, to }) => [from, to]));
    expect(targets.size).toBe(redirects.length);
    for (const { from, to } of redirects) {
      expect(pages, 'a redirect leads to a page in one step').toContain(to);
      expect(pages, 'a redirect replaces no page').not.toContain(from);
    }
    isServed = (address) =>
      pages.includes(address) ? 'page' : targets.has(address) ? 'redirect' : 'nothing';
    for (const [address, { collection, id }] of built) {
      const exists = services[collection]?.get(id)?.isPublic === true;
      if (exists) expect(isServed(address), address).not.toBe('nothing');
    }
  }

  function edit(change: Exclude<Change, { kind: 'build' }>) {
    const service = services[change.collection];
    const id = ids[change.article] ?? '';
    const article = service?.get(id);
    switch (change.kind) {
      case 'publish':
        service?.set(id, { title: 'Tides', ...article, id, isPublic: true });
        break;
      case 'unpublish':
        if (article) article.isPublic = false;
        break;
      case 'delete':
        service?.delete(id);
        break;
      case 'rename':
        if (article) article.title = titles[change.title] ?? '';
        break;
      case 'swap': {
        const other = service?.get(ids[change.other] ?? '');
        if (article && other) [article.title, other.title] = [other.title, article.title];
      }
    }
  }

  return {
    async apply(change: Change) {
      if (change.kind === 'build') await build(change);
      else edit(change);
    },
  };
}

function mutable(history: SiteHistory): MutableHistory {
  return new Map(
    [...history].map(([name, articleSlugs]) => [
      name,
      new Map([...articleSlugs].map(([id, slugs]) => [id, [...slugs]])),
    ]),
  );
}

test('an address keeps working as long as its article exists', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 60 }), async (changes) => {
      const world = createWorld();
      for (const [article] of ids.entries()) {
        for (const [collection] of collections.entries()) {
          await world.apply({ kind: 'publish', collection, article });
        }
      }
      const last: Change = { kind: 'build', mirror: 'kept', history: 'kept' };
      for (const change of [last, ...changes, last]) await world.apply(change);
    }),
    runs(300),
  );
}, 600_000);

test('two articles of one collection never have the same slug, even with equal titles', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...titles), fc.constantFrom(...titles), async (a, b) => {
      const slugs = await Promise.all(ids.map((id, at) => slugOf({ id, title: at % 2 ? a : b })));
      expect(new Set(slugs).size).toBe(ids.length);
    }),
  );
});
