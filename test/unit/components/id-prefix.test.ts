import { describe, expect, it } from 'vitest';
import { idPrefixOf } from '../../../src/components/id-prefix.ts';

describe('the prefix of the ids of a body', () => {
  it('is nothing for the first one of a page, and differs for all others', () => {
    const page = new Request('https://a.example/');
    const slugs = ['tides', 'tides', 'moon', 'tides', 'a folder / u\u0308ber.md'];
    expect(slugs.map((slug) => idPrefixOf(page, slug))).toEqual([
      '',
      'tides-',
      'moon-',
      'tides-2-',
      'a-folder-u\u0308ber.md-',
    ]);
    expect(idPrefixOf(new Request('https://a.example/'), 'tides')).toBe('');
  });
});
