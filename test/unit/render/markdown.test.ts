import { describe, expect, it } from 'vitest';
import { firstHeading, prepareMarkdown } from '../../../src/render/markdown.ts';

const knows = (name: string) => ['js', 'rust', 'python', 'plaintext', 'c++'].includes(name);

describe('what looks like front matter', () => {
  it.each([
    '---\n\nintro: *italic* text\n\n---',
    '---\nHello: clock: again\n---',
    '---\n\tfoo: [\n---',
    '---\njust prose here\n---\nbody',
    '----\n\ntext\n\n----',
    '+++\nnot toml\n+++',
    '\uFEFF---\na: b\n---',
    '\n  \n---\na: b\n---\n',
  ])('%j stays text', (content) => {
    const prepared = prepareMarkdown(content);
    expect(prepared).toMatch(/^ (---|\+\+\+)/);
    expect(prepared.trim()).toBe(content.replace(/^\uFEFF/, '').trim());
  });

  it('leaves all other text as it came, indented code included', () => {
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
    ['klingon', 'plaintext'],
    ['[[1,', 'plaintext'],
  ])('%j is read as %j', (info, read) => {
    expect(prepareMarkdown(`\`\`\`${info}\nx\n\`\`\`\n`, knows)).toBe(`\`\`\`${read}\nx\n\`\`\`\n`);
  });

  it('stays unknown when nobody knows which languages there are', () => {
    expect(prepareMarkdown('~~~klingon\nx\n~~~')).toBe('~~~klingon\nx\n~~~');
  });

  it('is not looked for inside another fence', () => {
    const content = '~~~~ rust\n```klingon\n~~~\n```\n~~~~\n```klingon\n```';
    expect(prepareMarkdown(content, knows)).toBe(
      '~~~~ rust\n```klingon\n~~~\n```\n~~~~\n```plaintext\n```',
    );
  });
});

describe('the first heading', () => {
  it.each([
    ['text\n\n## The *real* `title` ##\n\n# other', 'The real title'],
    ['```\n# no heading\n```\n# Yes', 'Yes'],
    ['#no heading', undefined],
    ['# C#', 'C#'],
    ['# a ##', 'a'],
    ['# ##', undefined],
    ['', undefined],
  ])('of %j is %j', (content, heading) => expect(firstHeading(content)).toBe(heading));
});

it('finds the first heading of a hostile line at once', () => {
  expect(firstHeading(`# a${' '.repeat(100_000)}x`)).toMatch(/^a +x$/);
});
