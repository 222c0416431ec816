import { describe, expect, it } from 'vitest';
import { prepareMarkdown } from '../../../src/render/markdown.ts';
import { renderArticle } from '../../../src/render/render-article.ts';

describe('text that looks like front matter', () => {
  it.each([
    '---\n\nintro: *italic* text\n\n---',
    '---\nHello: clock: again\n---',
    '---\n\tfoo: [\n---',
    '---\njust prose here\n---\nbody',
    '----\n\ntext\n\n----',
    '+++\nnot toml\n+++',
    '\n  \n---\na: b\n---\n',
    '\t\n \n\n---\na: b\n---\n',
  ])('%j stays text', (content) => {
    const prepared = prepareMarkdown(content);
    expect(prepared).toMatch(/^ (---|\+\+\+)/);
    expect(prepared.trim()).toBe(content.replace(/^\uFEFF/, '').trim());
  });

  it('leaves all other text unchanged, also indented code', () => {
    for (const text of ['    code\n\ntext\r\n', 'Title\n---\n', 'a\n\n---\n\n+++'])
      expect(prepareMarkdown(text)).toBe(text);
  });
});

describe('elements that are closed as in JSX', () => {
  it.each([
    [
      'a\n\n<video\n  src="a"\n  title="b > c"\n/>\r\n\r\nd',
      'a\n\n<video\n  src="a"\n  title="b > c"></video>\r\n\r\nd',
    ],
    ['<DIV><video />\r<canvas /></DIV>', '<DIV><video></video>\r<canvas></canvas></DIV>'],
    ['- a\n\n  <video/>\r\n`<video/>`', '- a\n\n  <video></video>\r\n`<video/>`'],
    [
      '```js\n<a/>\n```\n<script src="a" />\ntext',
      '```js\n<a/>\n```\n<script src="a"></script>\ntext',
    ],
  ])('are closed in HTML that begins a line: %j', (content, prepared) => {
    expect(prepareMarkdown(content)).toBe(prepared);
  });

  it.each([
    '```html\n<script />\n```',
    '- ~~~\n  <video />\n  ~~~',
    '````md\n```html\n<video/>\n```\n<iframe/>\n````',
    '```html\n<script />\n',
    '    <iframe />',
    ...['\n', '\r\n', '\r', '\n \t'].map((end) => `<div>\n${end}\n    <video />`),
    '<div>\n \t',
    'x <video />',
    'The `<video />` element, and `<script/>`',
    '<kbd>a</kbd> and `<video />`',
    '<iframe src="a"></iframe>\n\nThe\n`<video/>`',
  ])('are unchanged in code and values, and other elements are: %j', (content) => {
    expect(prepareMarkdown(content)).toBe(content);
  });
});

const languages = 'js C++ f# objective-c js:src/a.js Swift-5.9 ts:src/[id].ts js[class=a]'.split(
  ' ',
);
const metas = [
  ...['{1,3-5} title="a/(b)/c.js"', '/word/ "text" ins=/a/ {1,3}', 'x'.repeat(190), ''],
  ...[
    '{1000-1010}',
    'title="a-{2024}.js"',
    '{.numbers start=1200}',
    '{"2024":1-3}',
    'title="a / (b)"',
  ],
];
it('the languages of code and ordinary words behind them reach the plugins of a site', () => {
  for (const language of languages) {
    for (const meta of metas) {
      const text = `- \`\`\`${language} ${meta}\n  x\n  \`\`\``;
      expect(prepareMarkdown(text)).toBe(text);
    }
  }
});

describe('a fence', () => {
  const indents = [
    ...['', '   ', '\t', '> ', '>', '- ', '+ ', '* ', ': ', '-\t', '1. ', '12) ', '1.\t', '1)\t'],
    ...['123456789. ', '[^a]: ', '[^1]:', '> - 1. [^a]: * '],
  ];
  it.each(indents)('may follow %j', (indent) => {
    for (const mark of ['```', '~~~~'])
      expect(prepareMarkdown(`${indent}${mark}##[a] b`)).toBe(`${indent}${mark}plaintext`);
  });

  it.each([
    ...[
      'x ~~~',
      '-~~~',
      '1.~~~',
      '1234567890. ~~~',
      '1: ~~~',
      '[^]: ~~~',
      '[^a]~~~',
      '[^a b]: ~~~',
    ],
    ...['[^a]]: ~~~', '[a]: ~~~', '~~', '``', '#~~~'],
  ])('is not %j', (text) => {
    expect(prepareMarkdown(`a\n${text}##[a]`)).toBe(`a\n${text}##[a]`);
  });

  it('has no backtick behind backticks', () => {
    expect(prepareMarkdown('```##[a] `')).toBe('```##[a] `');
    expect(prepareMarkdown('~~~##[a] `')).toBe('~~~plaintext');
  });
});

it('keeps a name of 79 characters, and replaces names of languages that could change a log', () => {
  for (const name of [
    'a\u001b]0;title\u0007',
    '##[error]',
    '#\\#[a]',
    '##&#91;a]',
    'x'.repeat(80),
    'a&b',
    'a\\b',
  ]) {
    expect(prepareMarkdown(`~~~${name}\nx`)).toBe('~~~plaintext\nx');
  }
  const name = `~~~${'x'.repeat(79)}\nx`;
  expect(prepareMarkdown(name)).toBe(name);
});

it.each([
  [() => decodeURI('/100%.png'), 'has a `%` that encodes nothing'],
  [() => '['.repeat(2 ** 30), 'nested too deeply'],
])('an error of a processor gets a reason: %s', async (work, reason) => {
  const settings = { base: new URL('https://a.example/'), sanitize: true };
  const render = async () => ({ html: work() });
  const article = { id: '1', title: 'T', content: 'x' };
  await expect(renderArticle(article, { ...settings, render })).rejects.toThrow(reason);
});
