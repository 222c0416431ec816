import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { createRedact, excerpt } from '../../../src/http/api-key.ts';

const encoded: [string, (key: string) => string][] = [
  ['as it is', (key) => key],
  ['in JSON', (key) => JSON.stringify({ detail: `Unknown key ${key}.` })],
  ['in a URL', (key) => `https://a.example/?key=${encodeURIComponent(key)}`],
  [
    'in HTML',
    (key) =>
      key
        .replaceAll('&', '&amp;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&#39;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;'),
  ],
  ['in the host of a URL, which has no capitals', (key) => key.toLowerCase()],
  ['in base64', (key) => btoa(key)],
  ['in base64 for URLs', (key) => Buffer.from(key).toString('base64url')],
];

const key = fc.stringMatching(/^[\x21-\x7e]{8,40}$/);

test.each(encoded)('a key that the service repeats %s is hidden', (_, encode) => {
  fc.assert(
    fc.property(key, (secret) => {
      const shown = createRedact(secret)(`Error: ${encode(secret)}!`);
      expect(shown).toContain('[the API key]');
      expect(shown).not.toContain(secret);
    }),
    { examples: [['a"key\\with"escapes'], ['it\'s<a>&"key"'], ['$&$1(.*)[key]']] },
  );
});

test('other text is unchanged, on one line', () => {
  fc.assert(
    fc.property(key, fc.stringMatching(/^[a-z ]{0,60}$/), (secret, text) => {
      fc.pre(!text.includes(secret));
      expect(createRedact(secret)(text)).toBe(text);
    }),
  );
  expect(createRedact('a')('61 and YQ')).toBe('61 [the API key]nd YQ');
  expect(createRedact('secret')('a\r\n\u0007b\u202e')).toBe('a b\\u{202e}');
});

it.each(['', 'schlüssel', '\ud800'])('a key need not be valid to be hidden: %j', (apiKey) => {
  expect(createRedact(apiKey)(`a${apiKey}b`)).toMatch(apiKey ? /^a\[the API key\]b$/ : /^ab$/);
});

test('a long text is shortened', () => {
  expect(excerpt(' a ')).toBe('a');
  expect(excerpt('x'.repeat(900))).toBe(`${'x'.repeat(300)}…`);
});
