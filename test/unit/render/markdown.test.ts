import { describe, expect, it } from 'vitest';
import { prepareMarkdown } from '../../../src/render/markdown.ts';

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

describe('an invalid per cent sign in a URL', () => {
  it.each(['![100 %](https://a.example/100%.png)', '![x](/a%zz.png)', '[x](/%E4.png)'])(
    'of %j is escaped',
    (content) => {
      const prepared = prepareMarkdown(content);
      const address = /\]\(([^)]*)\)/.exec(prepared)?.[1] ?? '%';
      expect(() => decodeURI(address)).not.toThrow();
    },
  );

  it('is unchanged where it is valid, and in code', () => {
    const content = '![x](/a%20b.png) and 100 %\n\n```\n[x](/100%.png)\n```\n';
    expect(prepareMarkdown(content)).toBe(content);
  });
});
