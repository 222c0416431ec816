import { describe, expect, it, test } from 'vitest';
import {
  ArticlesError,
  ArticlesInvalidError,
  describeProblem,
  printable,
  quote,
} from '../../../src/errors.ts';
import { createRedact, excerpt } from '../../../src/http/api-key.ts';

describe('a text from outside', () => {
  test.each([
    ['a control sequence', 'a\u009b31mb', 'a\\u{9b}31mb'],
    ['an escape', 'a\u001b[31m', 'a\\u{1b}[31m'],
    ['a line break', 'a\nb', 'a\\u{a}b'],
    ['another line break', 'a\u2028b', 'a\\u{2028}b'],
    ['a bidirectional override', 'a\u202eb', 'a\\u{202e}b'],
    ['a bidirectional isolate', 'a\u2066b\u2069', 'a\\u{2066}b\\u{2069}'],
    ['bidirectional marks', '\u200e\u200f\u061c', '\\u{200e}\\u{200f}\\u{61c}'],
    ['zero-width characters', 'a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
    ['a lone surrogate', '\ud800', '\\u{d800}'],
    ['other characters', 'ü 漢 🦀 \uFFFD', 'ü 漢 🦀 \uFFFD'],
  ])('is shown without %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('is escaped in quotes, too', () => {
    expect(quote('a"b\\\n\u009b\u202e')).toBe('"a\\"b\\\\\\n\\u{9b}\\u{202e}"');
  });

  test('is escaped wherever a problem is described', () => {
    const problem = { id: 'a\u202eb', field: 'x\u009b', reason: 'got \u2066' };
    const shown = 'article "a\\u{202e}b", field x\\u{9b}: got \\u{2066}';
    expect(describeProblem(problem)).toBe(shown);
    expect(new ArticlesInvalidError([problem]).message).toContain(shown);
  });
});

describe('a redacted text', () => {
  const key = 'secret/key+4711';
  const redact = createRedact(key);

  it.each([key, encodeURIComponent(key), btoa(key)])('does not contain the key as %s', (form) => {
    expect(redact(`a ${form}, ${form}`)).toBe('a [the API key], [the API key]');
  });

  it('is on one line', () => {
    expect(redact('a\r\n\u0007b\u202e')).toBe('a b\\u{202e}');
  });

  it.each(['', 'schlüssel', '\ud800'])('needs no valid key: %j', (apiKey) => {
    expect(createRedact(apiKey)(`a${apiKey}b`)).toMatch(apiKey ? /^a\[the API key\]b$/ : /^ab$/);
  });

  it('is shortened', () => {
    expect(excerpt(' a ')).toBe('a');
    expect(excerpt('x'.repeat(900))).toBe(`${'x'.repeat(300)}…`);
  });
});

describe('an error', () => {
  it('keeps its cause and its stack', () => {
    const cause = new Error('why');
    const error = new ArticlesError('network', 'no', { cause, hint: 'try' });
    expect(error).toMatchObject({ cause, code: 'network', hint: expect.stringMatching(/^try$/m) });
    expect(error.stack).toContain('messages.test.ts');
    expect(new ArticlesError('network', 'no')).not.toHaveProperty('cause');
  });

  it('describes problems that several articles share once', () => {
    const problems = Array.from({ length: 30 }, (_, id) => ({ id: `${id}`, reason: 'no' }));
    const { message } = new ArticlesInvalidError([
      ...problems,
      { id: 'x', field: 'title', reason: 'y' },
    ]);
    expect(message).toContain('31 articles cannot be used:\n  - articles "0", "1",');
    expect(message).toContain('"19" and 10 more: no\n  - article "x", field title: y');
  });
});
