import { expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { useSite } from '../helpers/use-site.ts';

const site = useSite({ articles: () => makeArticles(2) });

test.each([
  '![a](/100%.png)',
  '![a][b]\n\n[b]: </100 %.png>',
  '![a](/%E0%A4.png "t")',
  '[a](/100%)',
])('a `%` in a URL that encodes nothing costs nothing: %s', async (content) => {
  site.service.change(1, { content: `100% of the text.\n\n${content}` });
  const { entries, failure, warnings } = await site.load();
  expect({ failure, warnings }).toEqual({ failure: undefined, warnings: [] });
  const { html = '' } = entries.get('1')?.rendered ?? {};
  expect(html).toContain('100% of the text.');
  expect(html).toMatch(/(?:src|href)="[^"]*%25[^"]*"/);
});
