import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { fetchedRow, provesUnchanged } from '../../../src/load/rows.ts';

const field = 'updated_at';
const noon = Date.UTC(2026, 4, 1, 12);
const noonText = '2026-05-01T12:00:00Z';
const hour = 3_600_000;
const row = (value: unknown, more = {}) => ({ extra: { [field]: value }, ...more });

/** Returns whether a value proves later that an article is unchanged which was fetched at a time. */
function proves(value: unknown, fetchedAt: number): boolean {
  const fetched = fetchedRow(row(value), row(value), { field, fetchedAt });
  return provesUnchanged({ row: fetched }, row(value), field);
}

describe('a time', () => {
  it.each([
    ['a second', noonText, 1_000],
    ['a second, also with a fraction', '2026-05-01T12:00:00.400Z', 1_000],
    ['a second, without a zone', '2026-05-01T12:00:00', 1_000],
    ['a second of PostgreSQL', '2026-05-01 14:00:00+0200', 1_000],
    ['a minute', '2026-05-01T12:00Z', 60_000],
    ['a day, also twelve hours west of UTC', '2026-05-01', 24 * hour],
    ['a second since 1970', noon / 1_000, 1_000],
    ['a millisecond since 1970', noon, 1_000],
    ['a second since 1970 as text', String(noon / 1_000), 1_000],
  ])('in %s proves nothing until its unit has passed', (_, value, left) => {
    expect(proves(value, noon)).toBe(false);
    expect(proves(value, noon + left - 1)).toBe(false);
    expect(proves(value, noon + left)).toBe(true);
  });

  it('in the future proves nothing', () => {
    expect(proves('2030-01-01T00:00:00Z', noon)).toBe(false);
  });

  it.each(['20260501', 20_260_501, '13.05.2026', 'May 1, 2026', 'Fri, 01 May 2026 12:00:00 GMT'])(
    'in another notation (%s) proves nothing',
    (value) => expect(proves(value, noon + 365 * 24 * hour)).toBe(false),
  );

  it('in any notation proves no article that changed within the unit in which it was fetched', () => {
    const text = (time: number) => new Date(time).toISOString();
    const notations: ((time: number) => string | number)[] = [
      (time) => text(time).replace(/\.\d+/, ''),
      (time) => text(time).replace('Z', '456+00:00'),
      (time) => Math.floor(time / 1_000),
      (time) => text(time).slice(0, 10),
      (time) => text(time).slice(0, 10).split('-').reverse().join('.'),
      (time) => text(time).slice(0, 16).replaceAll('-', '/').replace('T', ' '),
      (time) => new Date(time).toUTCString(),
      (time) => text(time).replace(/[-:]|\.\d+/g, ''),
    ];
    // Within a second, and within a day.
    const pauses = fc.oneof(fc.nat(1_500), fc.nat(48 * hour));
    let counted = 0;
    fc.assert(
      fc.property(
        fc.nat(notations.length - 1),
        fc.integer({ min: noon, max: noon + 400 * 24 * hour }),
        pauses,
        pauses,
        (index, edited, wait, later) => {
          const notation = notations[index] ?? String;
          const [fetchedAt, again] = [edited + wait, edited + wait + later];
          // The service edits the article again after it was fetched, and the value is still the same text.
          if (notation(edited) !== notation(again) || later === 0) return;
          counted += 1;
          expect(proves(notation(edited), Math.floor(fetchedAt / 1_000) * 1_000)).toBe(false);
        },
      ),
      { numRuns: 5_000 },
    );
    expect(counted).toBeGreaterThan(200);
  });
});

test('a value that is not a time proves at once, and a missing or empty one never', () => {
  for (const value of ['revision 7', 7, true, 'v1.2', 'b7c8d9e', 1.0001]) {
    expect(proves(value, noon)).toBe(true);
  }
  for (const value of [undefined, null, '']) expect(proves(value, noon)).toBe(false);
  const former = fetchedRow(row(1.0001), row(1.0001), { field, fetchedAt: noon });
  expect(provesUnchanged({ row: former }, row(1.0002), field)).toBe(false);
});

describe('a row', () => {
  const fetchedAt = noon + 60_000;
  const texts = { title: 'Tides', cover: 'https://cdn.example/a.jpg?X-Amz-Signature=1' };
  const stored = { row: fetchedRow(row(noonText), row(noonText, texts), { field, fetchedAt }) };

  it.each([noonText, '2026-05-01T12:00:00.000000Z', '2026-05-01 14:00:00+02:00'])(
    'proves the article with the same time, written as %s',
    (value) => {
      expect(provesUnchanged(stored, row(value, texts), field)).toBe(true);
    },
  );

  it.each([
    ['another value', row('2026-05-01T12:00:01Z', texts)],
    ['no value', row(undefined, texts)],
    ['another title', row(noonText, { ...texts, title: 'Ebb' })],
    ['another cover', row(noonText, { ...texts, cover: 'https://cdn.example/b.jpg' })],
    ['no cover', row(noonText, { ...texts, cover: null })],
    ['no title and cover any more', row(noonText)],
  ])('with %s proves nothing', (_, each) => {
    expect(provesUnchanged(stored, each, field)).toBe(false);
  });

  it('with its title, and its cover with another signature, proves the article', () => {
    const same = { title: 'Tides', cover: 'https://cdn.example/a.jpg?X-Amz-Signature=2' };
    expect(provesUnchanged(stored, row(noonText, same), field)).toBe(true);
  });

  it('proves an article whose own title and cover differ from those of its row', () => {
    // Such as a thumbnail, and a title that the service shortens in lists.
    const article = { extra: { [field]: noonText }, title: 'Tides and moons', cover: 'large.jpg' };
    const listed = row(noonText, { title: 'Tides…', cover: 'small.jpg' });
    const former = fetchedRow(article, listed, { field, fetchedAt });
    expect(provesUnchanged({ row: former }, listed, field)).toBe(true);
  });

  it('proves nothing about an article that was fetched without a row, or without the field', () => {
    expect(provesUnchanged({ row: undefined }, row(noonText), field)).toBe(false);
    expect(fetchedRow(row(undefined), row(undefined), { field, fetchedAt })).toBeUndefined();
    // Each object has a method of this name.
    const options = { field: 'valueOf', fetchedAt };
    expect(fetchedRow({ extra: {} }, { extra: {} }, options)).toBeUndefined();
  });
});
