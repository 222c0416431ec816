import fc from 'fast-check';
import { expect, it } from 'vitest';
import { secretProblem } from '../../../src/webhook/secret.ts';

const encode = (text: string) => new TextEncoder().encode(text);

it.each([
  [' \t\n\u00a0\u200b'.repeat(8), 'is missing or empty'],
  ['undefined undefined', 'is a placeholder, or a variable that is not set or not expanded'],
  ['nullnullnullnull', 'is a placeholder, or a variable that is not set or not expanded'],
  ['$WEBHOOK_SECRET_VALUE', 'is a placeholder, or a variable that is not set or not expanded'],
  ['%WEBHOOK_SECRET_VALUE%', 'is a placeholder, or a variable that is not set or not expanded'],
  [
    '{{ secrets.WEBHOOK_SECRET }}',
    'is a placeholder, or a variable that is not set or not expanded',
  ],
  [' <paste the secret here>', 'is a placeholder, or a variable that is not set or not expanded'],
  [
    '[the secret of the webhook]',
    'is a placeholder, or a variable that is not set or not expanded',
  ],
  [
    `prefix-$\{WEBHOOK_SECRET}-suffix`,
    'is a placeholder, or a variable that is not set or not expanded',
  ],
  [`short${' '.repeat(40)}`, 'at least 16 bytes that are not blanks, and has 5'],
  ['é'.repeat(40), 'needs at least 10 different characters, and has 1'],
])('refuses %j', (secret, reason) => {
  expect(secretProblem(secret)).toContain(reason);
});

it.each([
  [new Uint8Array(), 'at least 16 bytes of base64 after its prefix, and has 0'],
  [encode(' '.repeat(32)), 'needs at least 10 different bytes, and has 1'],
])('refuses the decoded key %j of a long text', (bytes, reason) => {
  expect(secretProblem('whsec_of a long text with many letters', bytes)).toContain(reason);
});

it.each([
  ['abcdefghij'.repeat(2), undefined],
  ['abcdefghi'.repeat(2), 'needs at least 10 different characters, and has 9'],
  ['abcdefghijklmnop', undefined],
  ['abcdefghijklmno', 'needs at least 16 bytes that are not blanks, and has 15'],
])('decides about %j at the limit, as text and as the bytes of a key', (secret, problem) => {
  expect(secretProblem(secret)).toBe(problem);
  const ofBytes = problem
    ?.replace('characters', 'bytes')
    .replace('that are not blanks', 'of base64 after its prefix');
  expect(secretProblem('whsec_', encode(secret))).toBe(ofBytes);
});

it.each(['undefined-but-known', 'known-but-undefined'])('accepts %j', (secret) => {
  expect(secretProblem(secret)).toBeUndefined();
});

it('accepts every text of 16 different characters that are not blanks', () => {
  const characters = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 });
  const secrets = fc
    .uniqueArray(characters, { minLength: 16, maxLength: 64 })
    .map((letters) => letters.join('').replaceAll(/[\s{}<[$%]/g, 'é'));
  fc.assert(
    fc.property(secrets, (secret) => {
      expect(secretProblem(secret)).toBeUndefined();
    }),
  );
});

it('accepts every decoded key of 16 bytes of which ten differ, also with that of a blank', () => {
  const keys = fc
    .uint8Array({ minLength: 6, maxLength: 64 })
    .map((bytes) => Uint8Array.from([...bytes, 0x20, ...encode('abcdefghi')]));
  fc.assert(
    fc.property(keys, (key) => {
      expect(secretProblem('whsec_', key)).toBeUndefined();
    }),
  );
});

it('never contains the secret', () => {
  const words = fc.stringMatching(/^[A-Z]{5,14}$/);
  fc.assert(
    fc.property(words, (secret) => {
      for (const text of [secret, `\${${secret}}`, `${secret} `, secret.charAt(0).repeat(20)]) {
        expect(secretProblem(text)).toBeDefined();
        expect(secretProblem(text)).not.toContain(secret);
      }
    }),
  );
});
