import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addSlugs, historyOf, joinHistories } from '../../../src/redirects/history.ts';

const ids = ['a1', '7', 'b2', '550e8400-e29b-41d4-a716-446655440000', 'Ä/ö', '__proto__'];

test('histories joined in any order have the same slugs', () => {
  const history = fc
    .array(fc.tuple(fc.constantFrom(...ids), fc.array(fc.constantFrom('x', 'y', 'z'))))
    .map((entries) => new Map(entries));
  const setsOf = (joined: ReadonlyMap<string, readonly string[]>) =>
    new Map([...joined].map(([id, slugs]) => [id, new Set(slugs)]));
  fc.assert(
    fc.property(history, history, history, (a, b, c) => {
      const joined = joinHistories(a, b, c);
      expect(setsOf(joinHistories(c, joinHistories(b, a)))).toEqual(setsOf(joined));
      expect(joinHistories(joined, joined)).toEqual(joined);
      const current = new Map([['a1', 'x']]);
      expect(addSlugs(joined, current).get('a1')?.at(-1)).toBe('x');
    }),
  );
});

test('the current slug of an article is its last one, and in its history once', () => {
  const history = new Map([['a1', ['x', 'y', 'z']]]);
  const current = new Map([
    ['a1', 'x'],
    ['b2', 'n'],
  ]);
  expect([...addSlugs(history, current)]).toEqual([
    ['a1', ['y', 'z', 'x']],
    ['b2', ['n']],
  ]);
  expect([...historyOf(history, ['b2', 'a1'])]).toEqual([
    ['b2', []],
    ['a1', ['x', 'y', 'z']],
  ]);
});
