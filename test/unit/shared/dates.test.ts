import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isoTimeOf, isUnclearTime, timeOf, withZone } from '../../../src/shared/dates.ts';
import { hash } from '../../../src/shared/hash.ts';
import { toJsonValue } from '../../../src/shared/json-value.ts';

const noon = Date.UTC(2026, 4, 1, 12);
const second = 1_000;
const minute = 60_000;
const day = 36 * 60 * minute;

describe('a time', () => {
  it.each([
    ['WordPress, `modified_gmt`', '2026-05-01T12:00:00', noon],
    ['Strapi, `updatedAt`', '2026-05-01T12:00:00.000Z', noon],
    ['Ghost, `updated_at`', '2026-05-01T14:00:00.000+02:00', noon],
    ['Directus, `date_updated`', '2026-05-01T12:00:00.123Z', noon + 123],
    ['Django', '2026-05-01T12:00:00.123456Z', noon + 123],
    ['PostgreSQL', '2026-05-01 08:30:00.123456-0330', noon + 123],
    ['seconds since 1970', noon / 1_000, noon],
    ['seconds since 1970, as text', String(noon / 1_000), noon],
    ['milliseconds since 1970', noon + 123, noon + 123],
  ])('as %s has it is read to the second', (_, value, date) => {
    for (const each of [value, toJsonValue(value)]) {
      expect(timeOf(each)).toEqual({ date, unit: second });
      expect(isUnclearTime(each)).toBe(false);
    }
  });

  it('since 1970 has ten digits in seconds, and thirteen in milliseconds', () => {
    for (const seconds of [1_000_000_000, 4_999_999_999]) {
      expect(timeOf(seconds)?.date).toBe(seconds * second);
      expect(timeOf(seconds * second)?.date).toBe(seconds * second);
    }
    for (const other of [999_999_999, 5_000_000_000, 999_999_999_999, 5_000_000_000_000])
      expect(timeOf(other)).toBeUndefined();
  });

  it('without seconds has a unit of a minute, and a date alone one of the longest day', () => {
    expect(timeOf('2026-05-01 12:00')).toEqual({ date: noon, unit: minute });
    expect(timeOf('2026-05-01')).toEqual({ date: Date.UTC(2026, 4, 1), unit: day });
  });

  it('in any notation of ISO 8601 is the same on each machine', () => {
    const parts = fc.record({
      date: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
      separator: fc.constantFrom('T', ' '),
      digits: fc.constantFrom(0, 3, 6),
      offset: fc.integer({ min: -14 * 60, max: 14 * 60 }),
      zone: fc.constantFrom('', 'Z', '+hh:mm', '+hhmm'),
    });
    const zones = new Map<string, number>();
    fc.assert(
      fc.property(parts, ({ date, separator, digits, offset, zone }) => {
        const minutes = zone.startsWith('+') ? offset : 0;
        const local = new Date(date.getTime() + minutes * minute).toISOString().slice(0, -1);
        const clock = digits === 0 ? local.slice(0, 19) : local + '4'.repeat(digits - 3);
        const two = (number: number) => String(Math.trunc(number)).padStart(2, '0');
        const sign = minutes < 0 ? '-' : '+';
        const text =
          clock.replace('T', separator) +
          zone
            .replace('+', sign)
            .replace('hh', two(Math.abs(minutes) / 60))
            .replace('mm', two(Math.abs(minutes) % 60));
        const expected = digits === 0 ? Math.floor(date.getTime() / second) * second : +date;
        expect(timeOf(text)).toEqual({ date: expected, unit: second });
        expect(timeOf(withZone(text))).toEqual(timeOf(text));
        zones.set(zone, (zones.get(zone) ?? 0) + 1);
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(...zones.values())).toBeGreaterThan(300);
    expect(zones.size).toBe(4);
  });

  it.each([
    '20260501T101500Z',
    '20260501101500',
    '20260501',
    20_260_501,
    '01/05/26',
    '9:15',
    '01.05.2026',
    '26-5-01',
    '2026-05-01T14:00:00+02',
    '2026-13-01',
    'May 1, 2026',
    '2026年5月1日',
    '1 mai 2026, 10:15',
    { date: '2026-05-01 12:00:00.000000', timezone: 'UTC' },
  ])('in another notation (%j) is unclear', (value) => {
    expect(timeOf(value)).toBeUndefined();
    expect(isUnclearTime(value)).toBe(true);
  });
});

test('a value that is not a time is clear', () => {
  const versions = ['revision 7', 7, 2026, true, null, 'v1.2', '1.10', 'b7c8d9e', 1.0001, ''];
  const digits = ['2.0.1', '1234.5.26', '1.5.2601', 'v12026', 'r-20261', 'c20260501'];
  for (const value of [
    ...versions,
    ...digits,
    '202605011',
    '202605011015001',
    undefined,
    'sha256:12ab',
    'W/"5f-18c"',
  ]) {
    expect([value, timeOf(value), isUnclearTime(value)]).toEqual([value, undefined, false]);
  }
});

test('hashes and UUIDs are clear, but for one in fifty', () => {
  const hashes = Array.from({ length: 1_000 }, (_, at) => hash(String(at)));
  const uuids = hashes.map((text) => text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
  for (const values of [hashes, uuids])
    expect(values.filter(isUnclearTime).length).toBeLessThan(20);
});

test.each([
  ['2024-05-01T10:00', '2024-05-01T10:00Z'],
  ['2024-05-01 10:00:00.5', '2024-05-01 10:00:00.5Z'],
  ['2024-05-01', '2024-05-01'],
  ['2024-05-01T10:00:00.', '2024-05-01T10:00:00.'],
  ['2024-05-01T10:00:00+02:00', '2024-05-01T10:00:00+02:00'],
  ['at 2024-05-01T10:00', 'at 2024-05-01T10:00'],
])('%s with a zone is %s', (text, expected) => expect(withZone(text)).toBe(expected));

test.each([
  '',
  '20240501',
  'May 1, 2024',
  '2024-05-01T99:00',
  ' 2024-05-01',
  '2024-05-01x',
  '12024-05-01',
  '1714550400',
])('%j is not a time of ISO 8601', (text) => expect(isoTimeOf(text)).toBeUndefined());
