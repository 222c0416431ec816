import { describe, expect, test } from 'vitest';
import { prepareMarkdown } from '../../../src/render/markdown.ts';
import { slugOf } from '../../../src/shared/slug.ts';
import { finish } from '../../helpers/finish.ts';

// An article of up to 200 KB is rendered in bounded time, or refused with a reason.

const size = 200_000;
const fill = (part: string, length = size) => part.repeat(Math.floor(length / part.length));
// U+2028 ends no line of Markdown.
test('code with a long line behind U+2028 becomes plain text, and marks before it are read once', () => {
  const code = `\`\`\`js \u2028\n${'/['.repeat(2_000)}\n\`\`\`\n`;
  expect(prepareMarkdown(code)).toMatch(/^```plaintext\n/);
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

test('an article with hundreds of code languages is highlighted in only some of them', () => {
  // 150 names, each in lower case and in capitals.
  const name = (at: number) => (at < 150 ? `lang${at}` : `LANG${at - 150}`);
  const fences = Array.from({ length: 300 }, (_, at) => `\`\`\`${name(at)}\nx\n\`\`\`\n`);
  const prepared = prepareMarkdown(fences.join('\n'));
  expect(new Set(prepared.toLowerCase().match(/lang\d+/g)).size).toBe(30);
  expect(prepared.match(/^```lang/gim)).toHaveLength(60);
  expect(prepared.match(/^```plaintext$/gm)).toHaveLength(240);
});

test('code with a line of more than 2,000 characters becomes plain text, and no other code', () => {
  const code = (length: number) => `\`\`\`js\nx\n${'/['.repeat(length / 2)}\ny\n\`\`\`\n\n`;
  const lines = prepareMarkdown(code(2_002) + code(2_000) + code(2_002)).split('\n');
  const fences = lines.filter((line) => line.startsWith('```') && line !== '```');
  expect(fences).toEqual(['```plaintext', '```js', '```plaintext']);
});

test('an article with more than 2,000 fences is not highlighted', () => {
  const open = '```js\n'.repeat(2_000);
  expect(prepareMarkdown(open)).toBe(open);
  const more = `${open}\`\`\`js\n`;
  expect(prepareMarkdown(more)).toBe(more.replaceAll('js', 'plaintext'));
});

test('a title of thousands of combining marks is not normalised', async () => {
  const title = `a${fill('\u0301\u0316')}`;
  expect(await slugOf({ id: '1', title })).toBe('a-1');
  const { html } = await finish(`<h1>${title}</h1>`, { title });
  expect(html.length).toBe(title.length + '<h1></h1>'.length);
});
