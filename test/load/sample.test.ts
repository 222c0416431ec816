import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type SampleLoads, siteAt } from '../../src/content/site-state.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { useSite } from '../helpers/use-site.ts';

const site = useSite({ articles: () => makeArticles(60, { words: [5, 20] }) });
const state = () => siteAt(pathToFileURL(`${site.root}/`));
let sample: SampleLoads;

beforeEach(async () => {
  sample = { folder: await temporaryFolder(), read: new Map() };
  state().sample = sample;
});
afterEach(() => {
  delete state().sample;
});

describe('a load of a part of the service', () => {
  it('fetches 20 articles from all parts of the listing, and keeps nothing', async () => {
    const before = await site.state();
    const { failure, entries, log } = await site.load({ pageSize: 50 });
    expect(failure).toBeUndefined();
    expect(entries.size).toBe(0);
    expect(await site.state()).toEqual(before);
    expect(existsSync(join(site.root, 'cache/astro-articles'))).toBe(false);
    expect(site.service.count('article')).toBe(20);
    expect(log).toContain('20 articles shown: 20 added');
    const read = sample.read.get('articles');
    expect(read?.count).toBe(60);
    expect(read?.rows.map(({ id }) => id)).toEqual(
      site.service.articles.map(({ id }) => String(id)),
    );
  });

  it('fails where a build fails on what it has read', async () => {
    site.service.change(60, { content: 'A title.', title: Object(7) });
    const invalid = await site.loadFails();
    expect(invalid.problems).toMatchObject([{ id: '60', field: 'title' }]);
    site.service.replace([]);
    expect(await site.loadFails()).toMatchObject({ code: 'mass-removal' });
    expect(sample.read.get('articles')?.rows).toEqual([]);
  });

  it('requests the service although ARTICLES_OFFLINE is set', async () => {
    const { failure } = await site.load({}, { env: { ARTICLES_OFFLINE: '1' } });
    expect(failure).toBeUndefined();
    expect(site.service.count('article')).toBe(20);
  });
});
