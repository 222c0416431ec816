import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { withBody } from '../../src/content/with-body.ts';
import { corrupt, renderingsOf } from '../helpers/mirror-folder.ts';
import { temporaryService } from '../helpers/use-service.ts';
import { type Entry, key, type Load, useSite } from '../helpers/use-site.ts';

const site = useSite({
  articles: () => makeArticles(4, { words: [5, 20] }),
  options: { bodies: 'mirror' },
});

const collection = 'articles';
const read = (entry: Entry) => withBody({ ...entry, collection });

async function expectBodies({ entries }: Load): Promise<void> {
  for (const entry of entries.values()) {
    const article = site.service.articles.find(({ id }) => String(id) === entry.id);
    const { body, rendered } = await read(entry);
    expect(body).toBe(article?.content);
    expect(rendered?.html).toContain('<p>');
  }
}

describe('with `bodies: "mirror"`', () => {
  it('the store contains no texts, and `withBody()` reads them', async () => {
    const load = await site.load();
    expect(load.failure).toBeUndefined();
    for (const entry of load.entries.values()) {
      expect(entry.body).toBeUndefined();
      expect(entry.rendered).toBeUndefined();
    }
    await expectBodies(load);
  });

  it('pages have the text of each of many refreshes, and of the one before', async () => {
    const refresh = async () => (await site.load({}, { command: 'dev' })).entries.get('3');
    const shown = [await refresh()];
    for (const content of ['First.', 'Second.', 'Third.', 'Fourth.']) {
      const before = site.service.articles.find(({ id }) => id === 3)?.content;
      site.service.change(3, { content });
      shown.push(await refresh());
      const [earlier, newest] = shown.slice(-2);
      if (!earlier || !newest) throw new Error('The entry is missing.');
      expect((await read(newest)).body).toBe(content);
      expect((await read(earlier)).body).toBe(before);
    }
  });

  it('an article whose rendering is corrupt is rendered again', async () => {
    const load = await site.load();
    await corrupt((await renderingsOf(await site.mirror())).slice(0, 2));
    await expectBodies(load);
  });
});

it('two sites in one process have their own texts, also with the same collections and ids', async () => {
  const articles = makeArticles(4, { seed: 2, words: [5, 20] });
  const other = await temporaryService({ apiKey: key, articles });
  const one = await site.load();
  const where = { root: join(site.root, 'other'), inMemory: true };
  const two = await site.load({ baseUrl: other.url }, where);
  expect(two.failure).toBeUndefined();
  for (const { id } of other.articles) {
    const [first, second] = [one.entries.get(String(id)), two.entries.get(String(id))];
    if (!first || !second) return expect.fail('an article is missing');
    expect((await read(first)).body).not.toBe((await read(second)).body);
  }
  await expectBodies(one);
});
