import { expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { useSite } from '../helpers/use-site.ts';

const site = useSite({ articles: () => makeArticles(2) });

test.each(['![a](/100%.png)', '![a](/%E0%A4.png "t")'])(
  'an article with a `%` in the URL of a picture that encodes nothing is named, with what to write: %s',
  async (content) => {
    site.service.change(1, { content });
    const { failure } = await site.load();
    expect(String(failure)).toMatch(/article "1".*the URL of one of its images.*write `%25`/s);
  },
);

test.each(['[a](/100%)', '![a][b]\n\n[b]: </100 %.png>'])(
  'a `%` that no processor decodes costs nothing: %s',
  async (content) => {
    site.service.change(1, { content });
    const { entries, failure, warnings } = await site.load();
    expect({ failure, warnings }).toEqual({ failure: undefined, warnings: [] });
    expect(entries.get('1')?.rendered?.html).toMatch(/(?:src|href)="[^"]*%25[^"]*"|100%/);
  },
);
