import { expect, test } from 'vitest';
import { ArticlesInvalidError, articleNotice } from '../../src/errors.ts';
import {
  count,
  joinSome,
  linesOf,
  mapTexts,
  messageOf,
  printable,
  quote,
} from '../../src/messages.ts';

test('the message of a value that was thrown', () => {
  expect(messageOf(new Error('no'))).toBe('no');
  expect(messageOf('no')).toBe('no');
  expect(messageOf(undefined)).toBe('undefined');
});

test('each text of a value is changed, and nothing else', () => {
  const value = { a: 'x', b: ['y', 1, null, { c: 'z' }] };
  const upper = (text: string) => text.toUpperCase();
  expect(mapTexts(value, upper)).toEqual({ a: 'X', b: ['Y', 1, null, { c: 'Z' }] });
});

test.each([
  ['a\nb', 'a\\u{a}b'],
  ['\u001b[31m', '\\u{1b}[31m'],
  ['\u202e', '\\u{202e}'],
  ['\u2028\u2029', '\\u{2028}\\u{2029}'],
  ['\ud800', '\\u{d800}'],
  ['\u{e0041}', '\\u{e0041}'],
  ['##[group]##[x]', '#\\u{23}[group]#\\u{23}[x]'],
  ['😀 é', '😀 é'],
])('%j is printed as %s', (text, printed) => {
  expect(printable(text)).toBe(printed);
});

test('a quoted text is one of JavaScript', () => {
  const text = '"`\'\\\n\u202e##[x]';
  expect(new Function(`return ${quote(text)}`)()).toBe(text);
});

test('lines are those that are not blank, without the blanks around them', () => {
  expect(linesOf(' a \n\n\t\n b')).toEqual(['a', 'b']);
  expect(linesOf(' \n')).toEqual([]);
});

test('the first names of a list are joined, and the others counted', () => {
  expect(joinSome(['a', 'b', 'c'], 3)).toBe('a, b, c');
  expect(joinSome(['a', 'b', 'c'], 2)).toBe('a, b and 1 more');
  expect(joinSome([])).toBe('');
});

test('a number has separators of thousands', () => {
  expect(count(1_234_567.8)).toBe('1,234,567');
});

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
