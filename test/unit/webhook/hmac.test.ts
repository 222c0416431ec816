import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { equalInConstantTime, fromBase64, toBase64, toHex } from '../../../src/webhook/hmac.ts';

it('writes and reads base64 as Node does', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(toBase64(bytes)).toBe(text);
      expect(fromBase64(text)).toEqual(new Uint8Array(bytes));
      expect(toHex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
    }),
  );
});

it.each(['a', '_-_-', 'ü', 'a=b='])('does not read %j as base64', (text) => {
  expect(fromBase64(text)).toEqual(new Uint8Array());
});

it('finds two texts equal only if all their bytes are', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  const counts = { equal: 0, 'of one length': 0, 'the beginning': 0 };
  fc.assert(
    fc.property(text, text, fc.nat(), (one, other, at) => {
      const changed = [...one]
        .map((sign, index) => (index === at % one.length ? 'x' : sign))
        .join('');
      for (const [given, expected] of [
        [one, one],
        [one, other],
        [one, changed],
        [one, one + other],
        [one + other, one],
      ] as const) {
        const isEqual = given === expected;
        expect(equalInConstantTime(given, expected)).toBe(isEqual);
        if (isEqual) counts.equal += 1;
        else if (given.length === expected.length) counts['of one length'] += 1;
        else if (given.startsWith(expected) || expected.startsWith(given))
          counts['the beginning'] += 1;
      }
    }),
  );
  for (const [kind, count] of Object.entries(counts)) expect(count, kind).toBeGreaterThan(20);
});
