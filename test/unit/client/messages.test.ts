import { expect, test } from 'vitest';
import { ArticlesInvalidError, articleNotice } from '../../../src/errors.ts';
import { printable, quote } from '../../../src/messages.ts';

test.each([
  ['line breaks', 'a\nb\u2028c', 'a\\u{a}b\\u{2028}c'],
  ['bidirectional marks', '\u200e\u200f\u061c', '\\u{200e}\\u{200f}\\u{61c}'],
  ['zero-width characters', 'a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
  ['a lone surrogate', '\ud800', '\\u{d800}'],
  ['other characters', 'ü 漢 🦀 \uFFFD', 'ü 漢 🦀 \uFFFD'],
])('a text from outside is printable with %s', (_, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('a text from outside is escaped in quotes, and wherever a problem is described', () => {
  expect(quote('a"b\\\n\u009b\u202e')).toBe('"a\\"b\\\\\\n\\u{9b}\\u{202e}"');
  const problem = articleNotice('a\u202eb', 'got \u2066', 'x\u009b');
  const shown = 'article "a\\u{202e}b", field x\\u{9b}: got \\u{2066}';
  expect(new ArticlesInvalidError([problem]).message).toContain(shown);
});

test('an error describes problems that several articles share once', () => {
  const problems = Array.from({ length: 30 }, (_, id) => articleNotice(`${id}`, 'no'));
  const other = articleNotice('x', 'y', 'title');
  const { message } = new ArticlesInvalidError([...problems, other]);
  expect(message).toContain('31 articles cannot be used:\n  - articles "0", "1",');
  expect(message).toContain('"19" and 10 more: no\n  - article "x", field title: y');
});
