import { describe, expect, it } from 'vitest';
import { splitFrontMatter } from '../../../src/shared/front-matter.ts';

describe('front matter', () => {
  it('is split from the text', () => {
    const { frontMatter, content } = splitFrontMatter('---\na: b\ntags:\n  - c\n---\n\nText');
    expect(frontMatter).toContain('tags:');
    expect(content.trim()).toBe('Text');
  });

  it.each(['---\nnot a field\n---\nText', 'Text\n---\na: b\n---', '---\na: b\nText'])(
    'is not recognised in %j',
    (content) => expect(splitFrontMatter(content)).toEqual({ content }),
  );
});
