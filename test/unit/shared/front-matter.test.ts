import { describe, expect, it } from 'vitest';
import { splitFrontMatter } from '../../../src/shared/front-matter.ts';

describe('front matter', () => {
  it.each(['---\nnot a field\n---\nText', 'Text\n---\na: b\n---', '---\na: b\nText'])(
    'is not recognised in %j',
    (content) => expect(splitFrontMatter(content)).toEqual({ content }),
  );
});
