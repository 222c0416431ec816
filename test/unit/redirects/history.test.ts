import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareText,
  decodeHistory,
  encodeHistory,
  formerSlugs,
  joinHistories,
  type SlugHistory,
  withPublished,
} from '../../../src/redirects/history.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

/** Ids that locales sort differently, that objects treat in a special way, and that UTF-16 sorts differently. */
const ids = [
  ...['ä', 'z', 'Z', 'I', 'i', 'ı', 'İ', 'ö', 'ß', 'ss', 'a-b', 'ab'],
  ...['__proto__', 'constructor', 'toString', '7', '10', '26', 'a "quoted"\\ id', 'two\nlines'],
  ...['\uFF5E', '\u{1F600}', '550e8400-e29b-41d4-a716-446655440000'],
];
const slugs = ['x', 'y', 'z', '__proto__', 'how-tides-work-26', 'über-7', 'ıstanbul', '日本'];
const serials = fc.integer({ min: 1, max: 6 });

/** SlugHistory of some articles, in any order. */
const anyAddresses: fc.Arbitrary<SlugHistory> = fc
  .uniqueArray(
    fc.tuple(
      fc.constantFrom(...ids),
      fc.uniqueArray(fc.tuple(fc.constantFrom(...slugs), serials), {
        minLength: 1,
        maxLength: 4,
        selector: ([slug]) => slug,
      }),
    ),
    { selector: ([id]) => id, maxLength: 8 },
  )
  .map((articles) => new Map(articles.map(([id, pairs]) => [id, new Map(pairs)])));

const historyOf = (articles: Record<string, Record<string, number>>): SlugHistory =>
  new Map(Object.entries(articles).map(([id, each]) => [id, new Map(Object.entries(each))]));

const head = '{"format":"astro-articles slugs 1"}';
/** Returns the text of a file with these lines. */
const fileOf = (...lines: string[]) => `${[head, ...lines, '{"end":true}'].join('\n')}\n`;
const linesOf = (text: string) => text.split('\n').slice(1, -2);
const decode = (text: string) => decodeHistory(text, 'a.json')?.slugHistory;
/** Decodes a file with one line. */
const decodeLine = (line: string) => [...(decode(fileOf(line)) ?? [])][0];

describe('histories joined', () => {
  test('are the same in any order, grouping and number, and leave their parts unchanged', () => {
    let slugsOfSeveral = 0;
    fc.assert(
      fc.property(anyAddresses, anyAddresses, anyAddresses, (a, b, c) => {
        const text = encodeHistory(a);
        const joined = joinHistories(a, b, c);
        expect(encodeHistory(a)).toBe(text);
        expect(joinHistories(c, a, b)).toEqual(joined);
        expect(joinHistories(a, joinHistories(b, c))).toEqual(joined);
        expect(joinHistories(joinHistories(c, b), a)).toEqual(joined);
        expect(joinHistories(joined, joined, a)).toEqual(joined);
        expect(encodeHistory(joinHistories(b, c, a))).toEqual(encodeHistory(joined));
        for (const [id, all] of a) {
          for (const [slug, serial] of all) {
            const others = [b.get(id)?.get(slug) ?? 0, c.get(id)?.get(slug) ?? 0];
            expect(joined.get(id)?.get(slug)).toBe(Math.max(serial, ...others));
            if (others.some((other) => other > 0)) slugsOfSeveral += 1;
          }
        }
      }),
    );
    expect(slugsOfSeveral).toBeGreaterThan(50);
  });
});

describe('a build', () => {
  const slugHistory = historyOf({ a1: { x: 1, y: 4 }, b2: { z: 2 } });

  test.each<[string, Record<string, string>, Record<string, Record<string, number>>]>([
    ['adds the slugs of new articles', { c3: 'n', d4: 'm' }, { c3: { n: 5 }, d4: { m: 5 } }],
    ['adds a new slug of an article', { b2: 'n' }, { b2: { z: 2, n: 5 } }],
    ['records that an article has an earlier slug again', { a1: 'x' }, { a1: { x: 5, y: 4 } }],
    ['records that an article has the slug of another', { b2: 'x' }, { b2: { z: 2, x: 5 } }],
    ['leaves out what is not a slug', { a1: '..', b2: 'a/b', c3: '' }, {}],
  ])('%s', (_, current, changed) => {
    const all = withPublished(slugHistory, new Map(Object.entries(current)));
    expect(all).toEqual(new Map([...slugHistory, ...historyOf(changed)]));
  });

  test('that takes up the same slugs again changes nothing, and makes each article their owner', () => {
    let checked = 0;
    const current = fc.uniqueArray(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...slugs)), {
      maxLength: 6,
      comparator: ([id, slug], [otherId, otherSlug]) => id === otherId || slug === otherSlug,
    });
    fc.assert(
      fc.property(anyAddresses, current, (known, pairs) => {
        const shown = new Map(pairs);
        const text = encodeHistory(known);
        const all = withPublished(known, shown);
        expect(encodeHistory(known)).toBe(text);
        expect(encodeHistory(withPublished(all, shown))).toEqual(encodeHistory(all));
        for (const [id, slug] of shown) {
          // Its article goes, so the slug belongs to the one that has just had it.
          const later = new Map([[id, 'another']]);
          const serial = formerSlugs(all, later).get('another')?.get(slug);
          expect(serial, `the serial of "${slug}", of article "${id}"`).toBe(
            all.get(id)?.get(slug),
          );
          checked += 1;
        }
      }),
    );
    expect(checked).toBeGreaterThan(100);
  });

  test('after a file with the highest serial writes lines that can be read', () => {
    const [id, all] = decodeLine('["a1",[["x",2147483647]]]') ?? ['', new Map()];
    const next = withPublished(new Map([[id, all]]), new Map([[id, 'y']]));
    expect(decode(encodeHistory(next))).toEqual(next);
    expect(next.get('a1')?.get('y')).toBe(2_147_483_647);
  });
});

describe('a former slug', () => {
  const current = new Map([
    ['a1', 'new-a'],
    ['b2', 'new-b'],
    ['c3', 'new-c'],
  ]);
  const leadsTo = (slugHistory: SlugHistory, slug: string, shown = current) =>
    [...formerSlugs(slugHistory, shown)].flatMap(([now, former]) => (former.has(slug) ? now : []));

  const shared = { a1: { x: 2 }, b2: { x: 7 }, c3: { x: 5 } };
  const { b2: _, ...others } = shared;
  test.each<[string, Record<string, Record<string, number>>, string[], Map<string, string>?]>([
    ['leads to its article', { a1: { x: 1, 'new-a': 2 } }, ['new-a']],
    ['that several articles had leads to the one that had it last', shared, ['new-b']],
    ['leads to the one before, when that is gone', others, ['new-c']],
    ['leads nowhere while that is not shown', shared, [], new Map([['a1', 'new-a']])],
    [
      'leads nowhere once another article has it',
      { a1: { x: 9 } },
      [],
      new Map([...current, ['d4', 'x']]),
    ],
  ])('%s', (_, articles, expected, shown) => {
    expect(leadsTo(historyOf(articles), 'x', shown)).toEqual(expected);
  });

  test('with equal serials leads to the first article by code points, in any order of the parts', () => {
    let checked = 0;
    fc.assert(
      fc.property(fc.shuffledSubarray(ids, { minLength: 2 }), (owners) => {
        const slugHistory: SlugHistory = new Map(owners.map((id) => [id, new Map([['x', 3]])]));
        const shown = new Map(owners.map((id) => [id, `now-${id}`]));
        const [first] = [...owners].sort(byCodePoints);
        expect(leadsTo(slugHistory, 'x', shown)).toEqual([`now-${first}`]);
        checked += 1;
      }),
    );
    expect(checked).toBe(100);
  });
});

/** Compares two texts by the numbers of their characters. */
function byCodePoints(a: string, b: string): number {
  const numbers = (text: string) =>
    Array.from(text, (character) => (character.codePointAt(0) ?? 0).toString(16).padStart(6, '0'));
  const [left, right] = [numbers(a).join(), numbers(b).join()];
  return left < right ? -1 : Number(left > right);
}

describe('a file', () => {
  test('has one line for each article, also with line ends of Windows, and with spaces', () => {
    let checked = 0;
    fc.assert(
      fc.property(anyAddresses, (slugHistory) => {
        const text = encodeHistory(slugHistory);
        expect(linesOf(text)).toHaveLength(slugHistory.size);
        const others = [text.replaceAll('\n', '\r\n'), text.replaceAll('\n', ' \n ')];
        for (const each of [text, ...others])
          expect(decodeHistory(each, 'x')).toEqual({
            slugHistory,
            notice: undefined,
            isWhole: true,
          });
        checked += slugHistory.size;
      }),
    );
    expect(checked).toBeGreaterThan(100);
  });

  test('is the same for equal histories, and nothing in it is sorted by locale', () => {
    const sorted = [...ids].sort(byCodePoints);
    expect(sorted).not.toEqual([...ids].sort((a, b) => a.localeCompare(b)));
    let checked = 0;
    const anyOrder = fc.shuffledSubarray(ids, { minLength: ids.length });
    fc.assert(
      fc.property(anyOrder, fc.shuffledSubarray(slugs, { minLength: 2 }), (order, some) => {
        const own = new Map(some.map((slug) => [slug, 1]));
        const text = encodeHistory(new Map(order.map((id) => [id, own])));
        expect(linesOf(text)).toEqual(linesOf(text).toSorted());
        const reversed = new Map([...own].reverse());
        expect(text).toBe(encodeHistory(new Map(ids.map((id) => [id, reversed]))));
        expect([...order].sort(compareText)).toEqual(sorted);
        checked += 1;
      }),
    );
    expect(checked).toBe(100);
  });

  test('of which only the first line was written has no articles', () => {
    const nothing = { slugHistory: new Map(), notice: undefined, isWhole: false };
    expect(decodeHistory(fileOf().split('\n')[0] ?? '', 'x')).toEqual(nothing);
  });

  test.each([
    ['a part of a line', '["a1",[["x",1'],
    ['another value', '{"a1":["x"]}'],
    ['no slugs', '["a1",[]]'],
    ['a slug without a serial', '["a1",["x"]]'],
    ['more fields', '["a1",[["x",1]],true]'],
    ['a number as id', '[1,[["x",1]]]'],
    ['a serial of zero', '["a1",[["x",0]]]'],
    ['a serial beyond all builds', '["a1",[["x",9007199254740991]]]'],
    ['a serial as text', '["a1",[["x","1"]]]'],
    ['deep nesting', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['deep nesting in place of a slug', `["a1",[[${'['.repeat(99_999)}${']'.repeat(99_999)},1]]]`],
    ['only texts that are not slugs', '["a1",[["../x",1],["",2],[".",3],["a b",4],["a%2fb",5]]]'],
  ])('loses only a line with %s', (_, line) => {
    const file = decodeHistory(fileOf('["b2",[["y",1]]]', line), 'a.json');
    const notice = expect.stringContaining('a.json has spoilt lines: 1.');
    expect(file).toMatchObject({ slugHistory: historyOf({ b2: { y: 1 } }), notice });
  });

  test('with a slug twice has its highest serial, and loses only what is not a slug', () => {
    const line = '["a1",[["x",7],["../../etc",9],["x",3],["y",1]]]';
    expect(decode(fileOf(line))).toEqual(historyOf({ a1: { x: 7, y: 1 } }));
  });

  test('of any text gives only safe path segments, and serials that builds can raise', () => {
    let decoded = 0;
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...slugs, '..', 'a/b', 'http://evil.example', 'x\u202ey'),
    );
    const number = fc.oneof(serials, fc.double(), fc.maxSafeInteger());
    const line = fc.oneof(
      fc.tuple(part, fc.array(fc.tuple(part, number))).map((value) => JSON.stringify(value)),
      fc.tuple(part, fc.array(fc.tuple(part, serials))).map((value) => JSON.stringify(value)),
      fc.json(),
      fc.string(),
    );
    fc.assert(
      fc.property(line, (text) => {
        const article = decodeLine(text);
        if (!article) return;
        decoded += 1;
        for (const [slug, serial] of article[1]) {
          expect(slug).toMatch(/^(?!\.)[\p{L}\p{M}\p{N}._~-]+(?<!\.)$/u);
          expect(Number.isSafeInteger(serial + 1) && serial > 0).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(decoded).toBeGreaterThan(100);
  });

  test('that Git has merged has both branches, with conflict markers and as a union', async () => {
    const folder = await temporaryFolder();
    const merge = (versions: readonly SlugHistory[], style: readonly string[]): string => {
      const paths = versions.map((slugHistory, at) => {
        const path = join(folder, `${at}.json`);
        writeFileSync(path, encodeHistory(slugHistory));
        return path;
      });
      const args = ['merge-file', '-p', ...style, ...paths];
      return spawnSync('git', args, { encoding: 'utf8' }).stdout;
    };
    const counts = { marked: 0, slugHistory: 0 };
    fc.assert(
      fc.property(anyAddresses, anyAddresses, anyAddresses, (base, left, right) => {
        const [ours, theirs] = [joinHistories(base, left), joinHistories(base, right)];
        for (const style of [[], ['--diff3'], ['--union']]) {
          const text = merge([ours, base, theirs], style);
          const slugHistory = joinHistories(ours, theirs);
          const expected = { slugHistory, notice: undefined, isWhole: true };
          for (const each of [text, text.replaceAll('\n', '\r\n')])
            expect(decodeHistory(each, 'a.json')).toEqual(expected);
          if (text.includes('<<<<<<<')) counts.marked += 1;
          counts.slugHistory += ours.size + theirs.size;
        }
      }),
      { numRuns: 15 },
    );
    expect(counts.marked).toBeGreaterThan(5);
    expect(counts.slugHistory).toBeGreaterThan(100);
  });
});
