import { describe, expect, test } from 'vitest';
import { prepareMarkdown } from '../../../src/render/markdown.ts';
import { slugOf } from '../../../src/shared/slug.ts';
import { finish } from '../../helpers/finish.ts';

// An article of up to 200 KB is rendered in bounded time, or refused with a reason.

const size = 200_000;
const fill = (part: string, length = size) => part.repeat(Math.floor(length / part.length));
// U+2028 ends no line of Markdown.
test('an odd language before U+2028 is replaced, and marks before it are read once', () => {
  expect(prepareMarkdown('```##[a] \u2028\nx\n```\n')).toMatch(/^```plaintext\n/);
  const text = `${fill('`')}\u2028`;
  expect(prepareMarkdown(text)).toBe(text);
});

describe('the check of an attribute value takes linear time', () => {
  test.each([
    ['a style of one word', `<p style="color:${fill('a', 240)}">x</p>`, '<p style='],
    ['a style of brackets', `<p style="color:${fill('(', 240)}">x</p>`, '<p style='],
    ['a style of quotes', `<p style="color:${fill("'")}">x</p>`, '<p'],
    ['a reference to a place', `<a href="${fill('#%')}">x</a>`, '<a href='],
    ['a reference of a drawing', `<svg><path fill="url(#${fill(' ')}("></path></svg>`, '<path>'],
  ])('%s', async (_, text, kept) => expect((await finish(text)).html).toContain(kept));
});

test('a title of thousands of combining marks is not normalised', async () => {
  const title = `a${fill('\u0301\u0316')}`;
  expect(await slugOf({ id: '1', title })).toBe('a-1');
  const { html } = await finish(`<h1>${title}</h1>`, { title });
  expect(html.length).toBe(title.length + '<h1></h1>'.length);
});
