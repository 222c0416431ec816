import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { editUrlOf, forgetCollection, siteAt } from '../../src/content/site-state.ts';
import { useSite } from '../helpers/use-site.ts';

const article = { title: 'A title', content: 'Text.', cover_image: null };
const site = useSite({ articles: () => [{ ...article, id: 'a/b' }] });
const editUrl = (id: string) => `https://cms.example/edit?id=${encodeURIComponent(id)}`;

async function urls(options: object, command: 'build' | 'dev' = 'dev') {
  const { entries } = await site.load(options, { command });
  expect(entries.size).toBe(1);
  const [id = ''] = entries.keys();
  const root = pathToFileURL(`${site.root}/`);
  const ofPage = siteAt(root).editUrls.get('articles')?.ofArticle('a/b');
  const ofOther = editUrlOf({ collection: 'articles', id: 'other' });
  expect(ofOther).toBeUndefined();
  const ofBody = editUrlOf({ collection: 'articles', id });
  forgetCollection(root, 'articles');
  return [ofBody, ofPage];
}

it.each(['id', 'slug'])(
  'an article is edited at the URL of its id, with entries by %s',
  async (entryId) => {
    const url = 'https://cms.example/edit?id=a%2Fb';
    expect(await urls({ editUrl, entryId })).toEqual([url, url]);
  },
);

it.each(['javascript:', 'data:text/html,', '/'])(
  'no link leads to a URL that begins with %s',
  async (start) => {
    expect(await urls({ editUrl: (id: string) => `${start}${id}` })).toEqual([
      undefined,
      undefined,
    ]);
  },
);

it('a build has no links to the service, nor has a dev server without the option', async () => {
  expect(await urls({ editUrl }, 'build')).toEqual([undefined, undefined]);
  expect(await urls({ editUrl })).not.toEqual([undefined, undefined]);
  expect(await urls({})).toEqual([undefined, undefined]);
});
