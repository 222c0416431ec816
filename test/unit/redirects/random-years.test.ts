import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../helpers/runs.ts';
import { liveThrough, type YearBuild } from './years.ts';

// Years of a site, judged by what its readers see: the judge knows which article each page has, and no rule of the history.

/** An article, which keeps its story when its id, collection or slug changes. */
interface Story {
  collection: 'articles' | 'guides' | 'de';
  id: number;
  slug: string;
  category: 'news' | 'sport';
  /** `gone`: its own URL responds 404. */
  state: 'shown' | 'left out' | 'gone';
}

/** Where the pages are. */
interface Layout {
  folder: string;
  hasCategories: boolean;
  hasSecondPages: boolean;
}

const kinds = [
  ...(['rename', 'rename', 'rename', 'exchange', 'new ids', 'split', 'merge'] as const),
  ...(['categorise', 'move', 'second pages', 'leave out', 'go', 'return'] as const),
];
const event = fc.record({
  kind: fc.constantFrom(...kinds),
  who: fc.nat(6),
  slug: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'sea', 'de'),
  folder: fc.constantFrom('', 'posts', 'blog', '2026/05'),
  isLost: fc.nat(9).map((chance) => chance === 0),
});
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

/** Pages of the site that no article has. One of them has the slug of an article. */
const others = ['tags/sea', 'tags/t', 'tags/u', 'tags/v'];

const join = (...segments: string[]) => segments.filter(Boolean).join('/');
const keyOf = ({ collection, id }: Story) => `${collection}/${id}`;

function pathsOf({ collection, slug, category }: Story, layout: Layout): string[] {
  const language = collection === 'de' ? 'de' : '';
  const folder = layout.hasCategories ? category : layout.folder;
  const second = layout.hasSecondPages ? [join('print', language, slug)] : [];
  return [join(language, folder, slug), ...second];
}

/** Changes one thing: never the slug of an article in the build in which its id or its collection changes. */
function change(stories: Story[], layout: Layout, { kind, who, slug, folder }: Event): void {
  const story = stories[who] as Story;
  const isOther = (each: Story) =>
    each !== story && (each.collection === 'de') === (story.collection === 'de');
  const rivals = stories.filter(isOther);
  const other = rivals.find(({ collection }) => collection === story.collection);
  const isFree = (name: string) => rivals.every((each) => each.slug !== name);
  const isShown = story.state === 'shown';
  if (kind === 'rename' && isFree(slug)) story.slug = slug;
  if (kind === 'exchange' && other) [story.slug, other.slug] = [other.slug, story.slug];
  if (kind === 'new ids') {
    for (const each of stories) if (each.state === 'shown') each.id += 100;
  }
  if (kind === 'split' && story.collection === 'articles' && isShown) story.collection = 'guides';
  if (kind === 'merge' && story.collection === 'guides' && isShown) story.collection = 'articles';
  if (kind === 'categorise') {
    layout.hasCategories = true;
    story.category = story.category === 'news' ? 'sport' : 'news';
  }
  if (kind === 'move') Object.assign(layout, { folder, hasCategories: false });
  if (kind === 'second pages') layout.hasSecondPages = !layout.hasSecondPages;
  const shown = stories.filter(({ state }) => state === 'shown');
  if (kind === 'leave out' && shown.length > 3) story.state = 'left out';
  if (kind === 'go' && shown.length > 3) story.state = 'gone';
  if (kind === 'return') story.state = 'shown';
}

/** How often a former path was what it should be, and why it was not. */
const verdicts = {
  right: 0,
  /** Which of two articles has a page is a guess where both have its slug. */
  'slug of two languages': 0,
  'gone without a cache': 0,
  /** What is copied to an article with another id has no claim against an article that had the path, too. */
  'given on, with another id, without a cache': 0,
};

/** Builds a site again and again, and returns what its readers miss. */
function problemsOf(events: readonly Event[]): string[] {
  const stories = ['a', 'b', 'c', 'd', 'a', 'b', 'x'].map((slug, id): Story => {
    const collection = id === 4 || id === 5 ? 'de' : 'articles';
    return { collection, id, slug, category: 'news', state: 'shown' };
  });
  const layout: Layout = { folder: 'posts', hasCategories: false, hasSecondPages: false };
  const owners = new Map<string, Story>();
  const givenOn = new Set<string>();
  const forgotten = new Set<Story>();
  const shared = new Set<string>();
  const keys = new Map<Story, Set<string>>();
  const builds: YearBuild[] = [];
  return [undefined, ...events].flatMap((each) => {
    const isLost = each?.isLost ?? false;
    for (const story of stories) if (isLost && story.state === 'gone') forgotten.add(story);
    if (each) change(stories, layout, each);
    const shown = stories.filter(({ state }) => state === 'shown');
    const entries = shown.map((story) => [keyOf(story), pathsOf(story, layout)] as const);
    const known = new Set(stories.filter(({ state }) => state !== 'gone').map(keyOf));
    const former = builds.flatMap(({ pages }) => Object.keys(pages));
    const gone = former.filter((key) => !known.has(key));
    builds.push({ pages: Object.fromEntries(entries), gone, isLost, others });
    for (const story of shown) {
      keys.set(story, (keys.get(story) ?? new Set()).add(keyOf(story)));
      if (shown.some((rival) => rival !== story && rival.slug === story.slug))
        shared.add(story.slug);
      for (const path of pathsOf(story, layout)) {
        if ((owners.get(path) ?? story) !== story) givenOn.add(path);
        owners.set(path, story);
      }
    }
    const { redirects } = liveThrough(builds);
    const pages = new Set(entries.flatMap(([, paths]) => paths));
    const missed = [...owners].flatMap(([path, story]) => {
      const paths = pathsOf(story, layout);
      if (pages.has(path) || story.state !== 'shown') return [];
      const verdict = judge(story, path, paths.includes(redirects[path] ?? ''));
      if (verdict) verdicts[verdict] += 1;
      return verdict ? [] : `/${path} leads to ${redirects[path]}, and should to ${paths}`;
    });
    const invented = Object.keys(redirects).filter((from) => !owners.has(from));
    return [...missed, ...invented.map((from) => `/${from} never was a page of an article`)];
  });

  function judge(story: Story, path: string, isRight: boolean): keyof typeof verdicts | undefined {
    if (isRight) return 'right';
    if (forgotten.has(story)) return 'gone without a cache';
    const slugs = [story.slug, path.split('/').at(-1) ?? ''];
    if (slugs.some((slug) => shared.has(slug))) return 'slug of two languages';
    const hasOtherId = (keys.get(story)?.size ?? 0) > 1;
    const isLost = builds.some((build) => build.isLost);
    return givenOn.has(path) && hasOtherId && isLost
      ? 'given on, with another id, without a cache'
      : undefined;
  }
}

test('each path that ever was the page of an article leads to a page of it, and no other path leads anywhere', () => {
  const year = fc.array(event, { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(year, (events) => {
      expect(problemsOf(events)).toEqual([]);
    }),
    runs(200),
  );
  expect(verdicts.right).toBeGreaterThan(3_000);
  // Which of two articles has a page is a guess where both have its slug: in one of twenty years as they are drawn.
  expect(verdicts['slug of two languages']).toBeLessThan(verdicts.right / 15);
});
