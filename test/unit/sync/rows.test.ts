import { describe, expect, it, test } from 'vitest';
import { isUnchanged, provingValue } from '../../../src/sync/rows.ts';

const field = 'updated_at';
const noon = Date.UTC(2026, 4, 1, 12);
const noonText = '2026-05-01T12:00:00Z';

describe('a time', () => {
  it.each([
    ['a second', noonText, 1_000],
    ['a second, also with a fraction', '2026-05-01T12:00:00.400Z', 1_000],
    ['a minute', '2026-05-01T12:00Z', 60_000],
    ['a second of PostgreSQL', '2026-05-01 14:00:00+02', 1_000],
    ['a second of Ruby', '2026-05-01 12:00:00 UTC', 1_000],
    ['a day, also twelve hours west of UTC', '2026-05-01', 24 * 3_600_000],
    ['a second since 1970', noon / 1_000, 1_000],
    ['a millisecond since 1970', noon, 1_000],
    ['a second since 1970 as text', String(noon / 1_000), 1_000],
    ['a time of HTTP', 'Fri, 01 May 2026 12:00:00 GMT', 60_000],
    ['a time of Go', '2026-05-01 12:00:00 +0000 UTC', 60_000],
  ])('in %s proves nothing until its unit has passed', (_, value, left) => {
    const extra = { [field]: value };
    expect(provingValue(extra, field, noon)).toBeUndefined();
    expect(provingValue(extra, field, noon + left - 1)).toBeUndefined();
    expect(provingValue(extra, field, noon + left)).toBeDefined();
  });

  it('in the future proves nothing', () => {
    expect(provingValue({ [field]: '2030-01-01T00:00:00Z' }, field, noon)).toBeUndefined();
  });
});

test('a value that is not a time proves at once, and a missing or empty one never', () => {
  for (const value of ['revision 7', 7, true, '20260501120000']) {
    expect(provingValue({ [field]: value }, field, noon)).toBeDefined();
  }
  const [one, two] = [1.0001, 1.0002].map((value) => provingValue({ [field]: value }, field, noon));
  expect(one).not.toBe(two);
  for (const value of [undefined, null, '']) {
    expect(provingValue({ [field]: value }, field, noon)).toBeUndefined();
  }
});

describe('a row', () => {
  const stored = {
    title: 'Tides',
    cover: 'https://cdn.example/a.jpg?X-Amz-Signature=1',
    changed: provingValue({ [field]: noonText }, field, noon + 60_000),
  };
  const row = (value: unknown, more = {}) => ({ extra: { [field]: value }, ...more });

  it.each([noonText, '2026-05-01T12:00:00.000000Z', '2026-05-01 14:00:00+02:00'])(
    'proves the article with the same time, written as %s',
    (value) => {
      expect(isUnchanged(stored, row(value), field)).toBe(true);
    },
  );

  it.each([
    ['another value', row('2026-05-01T12:00:01Z')],
    ['no value', row(undefined)],
    ['another title', row(noonText, { title: 'Ebb' })],
    ['another cover', row(noonText, { cover: 'https://cdn.example/b.jpg' })],
    ['no cover', row(noonText, { cover: null })],
  ])('with %s proves nothing', (_, each) => {
    expect(isUnchanged(stored, each, field)).toBe(false);
  });

  it('with its title, and its cover with another signature, proves the article', () => {
    const same = { title: 'Tides', cover: 'https://cdn.example/a.jpg?X-Amz-Signature=2' };
    expect(isUnchanged(stored, row(noonText, same), field)).toBe(true);
    expect(isUnchanged({ ...stored, cover: null }, row(noonText, { cover: null }), field)).toBe(
      true,
    );
  });

  it('proves nothing about an article that had no proving value', () => {
    expect(isUnchanged({ ...stored, changed: undefined }, row(undefined), field)).toBe(false);
  });
});
