import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeHistory,
  encodeHistory,
  joinHistories,
  lastOwners,
  type PathHistory,
  withoutCopies,
  withPages,
} from '../../../src/redirects/history.ts';
import { pageOf } from '../../../src/redirects/pages.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

/** Ids that locales sort differently, that objects treat in a special way, and that UTF-16 sorts differently. */
const ids = [
  ...['ä', 'z', 'Z', 'I', 'i', 'ı', 'İ', 'ö', 'ß', 'ss', 'a-b', 'ab'],
  ...['__proto__', 'constructor', 'toString', '7', '10', '26', 'a "quoted"\\ id', 'two\nlines'],
  ...['\uFF5E', '\u{1F600}', '550e8400-e29b-41d4-a716-446655440000'],
];
const pages = [
  ...['0 x', '1 posts/x', '1 posts/y', '0 x/posts', '0 __proto__', '2 2026/05/how-tides-work-26'],
  ...['1 de/über-7', '0 ıstanbul', '1 a b/日本'],
];
const serials = fc.integer({ min: 1, max: 6 });

/** A history of some articles, in any order. */
const anyHistory: fc.Arbitrary<PathHistory> = fc
  .uniqueArray(
    fc.tuple(
      fc.constantFrom(...ids),
      fc.uniqueArray(fc.tuple(fc.constantFrom(...pages), serials), {
        minLength: 1,
        maxLength: 4,
        selector: ([name]) => name,
      }),
    ),
    { selector: ([id]) => id, maxLength: 8 },
  )
  .map((articles) => new Map(articles.map(([id, pairs]) => [id, new Map(pairs)])));

const historyOf = (articles: Record<string, Record<string, number>>): PathHistory =>
  new Map(Object.entries(articles).map(([id, each]) => [id, new Map(Object.entries(each))]));

const head = '{"format":"astro-articles paths 1"}';
/** Returns the text of a file with these lines. */
const fileOf = (...lines: string[]) => `${[head, ...lines, '{"end":true}'].join('\n')}\n`;
const linesOf = (text: string) => text.split('\n').slice(1, -2);
const decode = (text: string) => decodeHistory(text, 'a.json')?.history;
/** Decodes a file with one line. */
const decodeLine = (line: string) => [...(decode(fileOf(line)) ?? [])][0];

describe('histories joined', () => {
  test('are the same in any order, grouping and number, and leave their parts unchanged', () => {
    let pagesOfSeveral = 0;
    fc.assert(
      fc.property(anyHistory, anyHistory, anyHistory, (a, b, c) => {
        const text = encodeHistory(a);
        const joined = joinHistories(a, b, c);
        expect(encodeHistory(a)).toBe(text);
        expect(joinHistories(c, a, b)).toEqual(joined);
        expect(joinHistories(a, joinHistories(b, c))).toEqual(joined);
        expect(joinHistories(joinHistories(c, b), a)).toEqual(joined);
        expect(joinHistories(joined, joined, a)).toEqual(joined);
        expect(encodeHistory(joinHistories(b, c, a))).toEqual(encodeHistory(joined));
        for (const [id, all] of a) {
          for (const [name, serial] of all) {
            const others = [b.get(id)?.get(name) ?? 0, c.get(id)?.get(name) ?? 0];
            expect(joined.get(id)?.get(name)).toBe(Math.max(serial, ...others));
            if (others.some((other) => other > 0)) pagesOfSeveral += 1;
          }
        }
      }),
    );
    expect(pagesOfSeveral).toBeGreaterThan(50);
  });
});

describe('a build', () => {
  const history = historyOf({ a1: { '0 x': 1, '0 y': 4 }, b2: { '0 z': 2, '1 amp/z': 2 } });
  const take = (current: Record<string, string[]>, known = history) => {
    const shown = Object.entries(current).map(([id, names]) => [id, names.map(pageOf)] as const);
    return withPages(known, new Map(shown));
  };

  test('gives a page of several articles one serial', () => {
    const current = { b2: ['0 z', '1 amp/z'], c3: ['0 z'] };
    const shared = historyOf({ b2: { '0 z': 5, '1 amp/z': 2 }, c3: { '0 z': 5 } });
    const all = take(current);
    expect(all).toEqual(new Map([...history, ...shared]));
    expect(take(current, all)).toEqual(all);
  });

  test('gives a page that was copied a serial of its own', () => {
    const copied = historyOf({ a1: { '0 x': 0 } });
    expect(take({ a1: ['0 x'] }, copied)).toEqual(historyOf({ a1: { '0 x': 1 } }));
  });

  test('that takes up the same pages again changes nothing', () => {
    let checked = 0;
    // Several articles may have a page that could be of each.
    const current = fc.uniqueArray(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...pages)), {
      maxLength: 6,
      selector: ([id]) => id,
    });
    fc.assert(
      fc.property(anyHistory, current, (known, pairs) => {
        const shown = Object.fromEntries(pairs.map(([id, name]) => [id, [name]]));
        const text = encodeHistory(known);
        const all = take(shown, known);
        expect(encodeHistory(known)).toBe(text);
        expect(encodeHistory(take(shown, all))).toEqual(encodeHistory(all));
        for (const [id, [name = '']] of Object.entries(shown)) {
          const others = [...all].flatMap(([other, own]) =>
            [...own].flatMap(([each, serial]) =>
              other !== id && pageOf(each).path === pageOf(name).path ? serial : [],
            ),
          );
          expect(all.get(id)?.get(name)).toBeGreaterThanOrEqual(Math.max(0, ...others));
          checked += 1;
        }
      }),
    );
    expect(checked).toBeGreaterThan(100);
  });
});

test('without copies, a history has the pages that its articles had, and no empty line', () => {
  const history = historyOf({ a1: { '0 x': 0, '0 y': 3 }, b2: { '0 z': 0 } });
  expect(withoutCopies(history)).toEqual(historyOf({ a1: { '0 y': 3 } }));
});

test('a slug belongs to the article that had it last at any place, and of several to the first by its id', () => {
  const history = historyOf({
    ...{ a1: { '0 x': 1, '1 posts/Über': 7 }, b2: { '1 notes/x': 2, '0 über': 6 } },
    ...{ ä: { '0 y': 3 }, z: { '1 posts/y': 3 } },
  });
  expect(lastOwners(history)).toEqual(
    new Map([
      ['x', 'b2'],
      ['über', 'a1'],
      ['y', 'z'],
    ]),
  );
});

describe('a file', () => {
  test('has one line for each article, also with line ends of Windows, and with spaces', () => {
    let checked = 0;
    fc.assert(
      fc.property(anyHistory, (history) => {
        const text = encodeHistory(history);
        expect(linesOf(text)).toHaveLength(history.size);
        const others = [text.replaceAll('\n', '\r\n'), text.replaceAll('\n', ' \n ')];
        for (const each of [text, ...others])
          expect(decodeHistory(each, 'x')).toEqual({
            history,
            notice: undefined,
            isWhole: true,
          });
        checked += history.size;
      }),
    );
    expect(checked).toBeGreaterThan(100);
  });

  test('is the same for equal histories, and nothing in it is sorted by locale', () => {
    let checked = 0;
    const anyOrder = fc.shuffledSubarray(ids, { minLength: ids.length });
    fc.assert(
      fc.property(anyOrder, fc.shuffledSubarray(pages, { minLength: 2 }), (order, some) => {
        const own = new Map(some.map((name) => [name, 1]));
        const text = encodeHistory(new Map(order.map((id) => [id, own])));
        expect(linesOf(text)).toEqual(linesOf(text).toSorted());
        const reversed = new Map([...own].reverse());
        expect(text).toBe(encodeHistory(new Map(ids.map((id) => [id, reversed]))));
        checked += 1;
      }),
    );
    expect(checked).toBe(100);
  });

  test('of which only the first line was written has no articles', () => {
    const nothing = { history: new Map(), notice: undefined, isWhole: false };
    expect(decodeHistory(fileOf().split('\n')[0] ?? '', 'x')).toEqual(nothing);
  });

  test.each([
    ['a part of a line', '["a1",[["0 x",1'],
    ['another value', '{"a1":["0 x"]}'],
    ['no pages', '["a1",[]]'],
    ['a page without a serial', '["a1",["0 x"]]'],
    ['more fields', '["a1",[["0 x",1]],true]'],
    ['a number as id', '[1,[["0 x",1]]]'],
    ['a negative serial', '["a1",[["0 x",-1]]]'],
    ['a serial beyond all builds', '["a1",[["0 x",9007199254740991]]]'],
    ['a serial as text', '["a1",[["0 x","1"]]]'],
    ['deep nesting', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['deep nesting in place of a page', `["a1",[[${'['.repeat(99_999)}${']'.repeat(99_999)},1]]]`],
    [
      'only texts that are no pages',
      '["a1",[["0 ../x",1],["1 ../x",1],["",2],["x",3],["1 x",4],["0 a b",5],["1 a//x",6],["-1 x",7]]]',
    ],
    [
      'only paths that mean something else in a rule of a host',
      '["a1",[["1 */x",1],["1 :all/x",2],["1 a#b/x",3],["1 a?b/x",4],["1 a\\\\b/x",5]]]',
    ],
  ])('loses only a line with %s', (_, line) => {
    const file = decodeHistory(fileOf('["b2",[["0 y",1]]]', line), 'a.json');
    const notice = expect.stringContaining('a.json has spoilt lines: 1.');
    expect(file).toMatchObject({ history: historyOf({ b2: { '0 y': 1 } }), notice });
  });

  test('loses only what is no page of a line', () => {
    const line = '["a1",[["0 x",7],["1 ../etc",9],["1 y/x",1]]]';
    expect(decode(fileOf(line))).toEqual(historyOf({ a1: { '0 x': 7, '1 y/x': 1 } }));
  });

  test('of any text gives only safe paths, and serials that builds can raise', () => {
    let decoded = 0;
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...pages, '0 ..', '1 ../x', '0 http://evil.example', '1 x\u202ey/z'),
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
        for (const [name, serial] of article[1]) {
          const { path, slug } = pageOf(name);
          expect(slug).toMatch(/^(?!\.)[\p{L}\p{M}\p{N}._~-]+(?<!\.)$/u);
          const url = new URL(`./${encodeURI(path)}`, 'https://site.example/docs/');
          expect(url.href).toBe(`https://site.example/docs/${encodeURI(path)}`);
          expect(Number.isSafeInteger(serial + 1) && serial >= 0).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(decoded).toBeGreaterThan(100);
  });

  test('that Git has merged has both branches, with conflict markers and as a union', async () => {
    const folder = await temporaryFolder();
    const merge = (versions: readonly PathHistory[], style: readonly string[]): string => {
      const paths = versions.map((history, at) => {
        const path = join(folder, `${at}.json`);
        writeFileSync(path, encodeHistory(history));
        return path;
      });
      const args = ['merge-file', '-p', ...style, ...paths];
      return spawnSync('git', args, { encoding: 'utf8' }).stdout;
    };
    const counts = { marked: 0, articles: 0 };
    fc.assert(
      fc.property(anyHistory, anyHistory, anyHistory, (base, left, right) => {
        const [ours, theirs] = [joinHistories(base, left), joinHistories(base, right)];
        for (const style of [[], ['--diff3'], ['--union']]) {
          const text = merge([ours, base, theirs], style);
          const history = joinHistories(ours, theirs);
          const isMarked = text.includes('<<<<<<<');
          const notice = isMarked ? expect.stringContaining('spoilt lines') : undefined;
          for (const each of [text, text.replaceAll('\n', '\r\n')])
            expect(decodeHistory(each, 'a.json')).toEqual({ history, notice, isWhole: true });
          if (isMarked) counts.marked += 1;
          counts.articles += ours.size + theirs.size;
        }
      }),
      { numRuns: 15 },
    );
    expect(counts.marked).toBeGreaterThan(5);
    expect(counts.articles).toBeGreaterThan(100);
  });
});
