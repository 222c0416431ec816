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

describe('the language of a code fence', () => {
  it.each([
    ['rust,ignore', 'rust ignore'],
    ['js{2-3}', 'js {2-3}'],
    ['js {1,3} title="a"', 'js {1,3} title="a"'],
    ['{.python}', 'python'],
    ['JS', 'js'],
    ['language-js', 'js'],
    ['c++', 'c++'],
    ['klingon', 'klingon'],
  ])('%j is read as %j', (info, read) => {
    expect(prepareMarkdown(`\`\`\`${info}\nx\n\`\`\`\n`)).toBe(`\`\`\`${read}\nx\n\`\`\`\n`);
  });

  it('is unchanged when a plugin of the site reads it', () => {
    const content = '```rust,ignore {1}\nx\n```';
    expect(prepareMarkdown(content, { keepInfoStrings: true })).toBe(content);
  });

  it('is not read inside another fence', () => {
    const content = '~~~~ rust\n```JS\n~~~\n```\n~~~~\n```JS\n```';
    expect(prepareMarkdown(content)).toBe('~~~~ rust\n```JS\n~~~\n```\n~~~~\n```js\n```');
  });
});

describe('an invalid per cent sign in the URL of an image', () => {
  const render = async (markdown: string) => ({ html: decodeURI(markdown) });
  const settings = { render, base: new URL('https://a.example/'), sanitize: true };
  const htmlOf = async (content: string) =>
    (await renderArticle({ id: '1', title: 'T', content }, settings)).html.join('');

  it.each([
    ['![100 x](https://a.example/100%.png)', '![100 x](https://a.example/100%.png)'],
    ['![x](/a%20b%zz.png)', '![x](/a b%zz.png)'],
    ['[x]: /%E4.png', '[x]: /%E4.png'],
  ])('of %j is escaped for a processor that decodes it', async (content, shown) => {
    expect(await htmlOf(content)).toBe(shown);
  });

  it('is an error if it cannot be found', async () => {
    await expect(htmlOf('<img src="/100%.png">')).rejects.toThrow('invalid percent-encoding');
  });
});
