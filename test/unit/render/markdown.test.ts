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
  ])('%j stays text', (content) => {
    const prepared = prepareMarkdown(content);
    expect(prepared).toMatch(/^ (---|\+\+\+)/);
    expect(prepared.trim()).toBe(content.replace(/^\uFEFF/, '').trim());
  });

  it('leaves all other text unchanged, also indented code', () => {
    expect(prepareMarkdown('    code\n\ntext\r\n')).toBe('    code\n\ntext\r\n');
  });
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
