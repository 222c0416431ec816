import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Article } from '../../../src/client/article.ts';
import { applyTransform } from '../../../src/options/apply-transform.ts';

const article: Article = { id: '1', title: 'T', content: 'C', cover_image: null, extra: {} };
const name: fc.Arbitrary<string> = fc.constantFrom(
  'author',
  'date',
  'slug',
  'description',
  'tags',
  'a',
);
const value = fc.oneof(fc.constant(null), fc.string(), fc.integer(), fc.array(fc.string()));
const fields = fc.dictionary(name, value);

it('`transform` gets a copy without fields that are null, and its result has them as null unless it sets them', async () => {
  let filled = 0;
  await fc.assert(
    fc.asyncProperty(fields, fields, fc.array(name), async (extra, set, removed) => {
      const before = structuredClone(extra);
      const given: unknown[] = [];
      const transform = (copy: Record<string, unknown>) => {
        given.push({ ...copy });
        for (const each of removed) delete copy[each];
        return Object.assign(copy, set);
      };
      const result = await applyTransform(transform as never, { ...article, extra }, {} as never);

      expect(extra).toEqual(before);
      const usable = Object.entries(before).filter(([, each]) => each !== null);
      expect(given).toEqual([
        { ...Object.fromEntries(usable), id: '1', title: 'T', content: 'C', cover_image: null },
      ]);
      const nulls = Object.entries(before).filter(([, each]) => each === null);
      const stay = usable.filter(([each]) => !removed.includes(each));
      expect(result?.extra).toEqual(
        Object.fromEntries([...nulls, ...stay, ...Object.entries(set)]),
      );
      if (nulls.some(([each]) => (set[each] ?? null) !== null)) filled += 1;
    }),
  );
  expect(filled).toBeGreaterThan(10);
});

it.each([undefined, null, false, ''])('`transform` leaves an article out by %j', async (result) => {
  expect(await applyTransform((() => result) as never, article, {} as never)).toBeUndefined();
});

it.each<[result: unknown, reason: string]>([
  [{}, 'has no `title` and no `content`. Write `{ ...article, … }`'],
  [{ title: 'T' }, 'has no `content`. Write'],
  [{ content: 'C' }, 'has no `title`. Write'],
  ['T', 'returned text instead of an article or `undefined`'],
  [
    { title: 'T', content: 'C', tags: JSON.parse('['.repeat(100) + ']'.repeat(100)) },
    'the value that `transform` returned: expected JSON with at most 64 levels',
  ],
])('the result %j of `transform` is an error that says what it lacks', async (result, reason) => {
  const applied = applyTransform((() => result) as never, article, {} as never);
  await expect(applied).rejects.toThrow(reason);
});

it('the id of an article is that of the service, also if `transform` returns another one', async () => {
  const transform = () => ({ id: '2', title: 'T', content: 'C' });
  const result = await applyTransform(transform as never, article, {} as never);
  expect(result).toMatchObject({ id: '1', extra: {} });
});

it('a list that `transform` changes is unchanged in the article of the service', async () => {
  const transform = (copy: { tags: string[] }) => {
    copy.tags.push('b');
    return copy;
  };
  const extra = { tags: ['a'] };
  const result = await applyTransform(transform as never, { ...article, extra }, {} as never);
  expect([extra, result?.extra]).toEqual([{ tags: ['a'] }, { tags: ['a', 'b'] }]);
});
