import { expect, test } from 'vitest';
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
