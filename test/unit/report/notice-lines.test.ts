import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstLinesOfNotices, linesOfNotices } from '../../../src/report/notice-lines.ts';

const ids = Array.from({ length: 5_000 }, (_, at) => `id-${at}`);

test('reports thousands of articles with the same problem in one short line', () => {
  const lines = linesOfNotices(ids.map((id) => ({ kind: 'article', ids: [id], text: 'no' })));
  expect(lines).toHaveLength(1);
  expect(lines[0]?.length).toBeLessThan(1_000);
});

test('a line about an article ends with one full stop', () => {
  for (const text of ['expected 1.5', 'expected 1.5.'])
    expect(linesOfNotices([{ kind: 'field', ids: ['a'], text }])[0]).toMatch(/expected 1\.5\.$/);
});

test('the first fifty lines are shown, and how many more there are', () => {
  const notices = (count: number) =>
    ids.slice(0, count).map((text) => ({ kind: 'other' as const, ids: [], text }));
  expect(firstLinesOfNotices(notices(50))).toEqual(ids.slice(0, 50));
  expect(firstLinesOfNotices(notices(51))).toEqual([...ids.slice(0, 50), '… and 1 more.']);
});

test('each notice is in a line with its own field and text, and equal ones are one line', () => {
  const notice = fc.record({
    kind: fc.constantFrom('article' as const, 'field' as const),
    ids: fc.constantFrom('one', 'two', 'three').map((id) => [id]),
    field: fc.constantFrom(undefined, 'title', 'cover_image'),
    text: fc.constantFrom('expected text', 'is too long'),
  });
  fc.assert(
    fc.property(fc.array(notice, { maxLength: 6 }), (notices) => {
      const lines = linesOfNotices(
        notices.map(({ field, ...rest }) => ({ ...rest, ...(field && { field }) })),
      );
      const different = notices.map(({ kind, field, text }) => JSON.stringify([kind, field, text]));
      expect(lines).toHaveLength(new Set(different).size);
      for (const { kind, ids, field, text } of notices) {
        const ownLines = lines.filter(
          (line) => line.includes(`${text}.`) && line.includes(`"${ids[0]}"`),
        );
        const isOwn = (line: string) =>
          /field (\w+):/.exec(line)?.[1] === field &&
          line.includes('good version') === (kind === 'article');
        expect(ownLines.some(isOwn), lines.join('\n')).toBe(true);
      }
    }),
  );
});
