import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import {
  createKeyFinder,
  createRedact,
  createRedactLines,
  escapePattern,
  excerpt,
  requestHeaders,
} from '../../../src/http/api-key.ts';
import { textOf } from '../../helpers/error-text.ts';

const encoded: [string, (key: string) => string][] = [
  ['as it is', (key) => key],
  ['in JSON', (key) => JSON.stringify({ detail: `Unknown key ${key}.` })],
  [
    'in JSON of PHP, which escapes slashes',
    (key) => JSON.stringify({ detail: key }).replaceAll('/', '\\/'),
  ],
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
    {
      examples: [
        ['a"key\\with"escapes'],
        ['a/key/with/slashes'],
        ['it\'s<a>&"key"'],
        ['$&$1(.*)[key]'],
      ],
    },
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

test.each([...'\\^$.*+?()[]{}|'])('a pattern has the sign %s of a text as itself', (sign) => {
  expect(escapePattern(`a${sign}b`)).toBe(`a\\${sign}b`);
});

test('a long text is shortened', () => {
  expect(excerpt(' a ')).toBe('a');
  expect(excerpt('x'.repeat(900))).toBe(`${'x'.repeat(300)}…`);
});

/** A key that is not made of words. */
const oddKey = key.map((text) => `4${text}`);

test.each(encoded.filter(([how]) => !how.includes('no capitals')))(
  'a key is found in a text that contains it %s, and in no other one',
  (_, encode) => {
    fc.assert(
      fc.property(oddKey, (secret) => {
        const contains = createKeyFinder(secret);
        expect(contains(`before ${encode(secret)} behind`)).toBe(true);
        expect(contains(`before ${encode(secret.slice(1))} behind`)).toBe(false);
      }),
      { examples: [['4/slashes/and"quotes"'], ["4it's<a>&"]] },
    );
  },
);

test.each([
  ['abc-123', false],
  ['abc-1234', true],
  ['development', false],
  ['UPPER_CASE_WORDS', false],
  ['Words-of-a-sentence', false],
  ['Words-of-a-sentences', true],
  ['two--words', true],
  ['-two-words', true],
  ['two-words-', true],
  ['two_words_', true],
  ['camelCaseWords', true],
  ['schlüssel-4711-lang', false],
  ['two words 4711', false],
  ['', false],
])('a text is searched for the key %j: %s', (secret, isSearched) => {
  expect(createKeyFinder(secret)(`before ${secret} behind`)).toBe(isSearched);
});

test('all keys are removed from each line of a text, except short ones', () => {
  const redact = createRedactLines(['first-key', 'second-key', 'key-7ch', 'key-8cha', '']);
  expect(redact('a first-key,\u0007second-key\n\nkey-7ch key-8cha\n')).toBe(
    'a [the API key], [the API key]\n\nkey-7ch [the API key]\n',
  );
  expect(createRedactLines([])('a\nb')).toBe('a\nb');
});

test.each(['', 'two words', 'line\nbreak', 'schlüssel', 'tab\t'])(
  'the key %j is rejected and not repeated',
  (apiKey) => {
    const text = textOf(() => requestHeaders(apiKey));
    expect(text).toContain('key-malformed');
    if (apiKey) expect(text).not.toContain(apiKey);
  },
);
