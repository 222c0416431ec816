import { expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { codeBlocks } from '../helpers/readme.ts';
import { useSite } from '../helpers/use-site.ts';

const site = useSite({
  articles: () =>
    makeArticles(26).map((article) =>
      article.id === 7 || article.id === 9 ? { ...article, content: '' } : article,
    ),
});

it('a load prints the lines that the page about problems shows', async () => {
  const blocks = codeBlocks('docs/troubleshooting.md').filter(
    ({ language }) => language === 'text',
  );
  const [summary = '', cover = ''] = blocks.map(({ code }) => code.trim());
  await site.load();
  site.service.change(26, { cover_image: `${site.service.url}/media/none.jpg` });
  const { log } = await site.load();
  const [, withoutTime = ''] = /^\[astro-articles\] (.*), [\d.]+ s$/.exec(summary) ?? [];
  expect(withoutTime).not.toBe('');
  expect(log).toContain(withoutTime);
  const ofDocs = cover.replace(
    'https://app.example.com/media/tides',
    `${site.service.url}/media/none`,
  );
  expect(log).toContain(ofDocs);
});
