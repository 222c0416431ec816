import { cpSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { Fault } from '../../fixtures/service.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { always, servedBy, shownIn, useSite } from '../helpers/use-site.ts';

const articles = () => makeArticles(4, { words: [10, 20], cover: 'pause.gif' });
const site = useSite({ articles, loaded: true, options: { concurrency: 2, pageSize: 3 } });

/** An edit, a rename, a removal, and a new article. */
function changeService(): void {
  site.service.replace(articles());
  site.service.change(3, { content: 'Edited.' });
  site.service.change(2, { title: 'Renamed', cover_image: '/media/tides.jpg' });
  site.service.remove(1);
  site.service.add({ id: 5, title: 'New', content: 'New.', cover_image: null });
}

const faults: [string, Fault, number][] = [
  ['resets the connection', { kind: 'reset' }, 1],
  ['responds 500 from then on', { kind: 'status', status: 500 }, always],
  ['responds 404', { kind: 'status', status: 404 }, 1],
  ['responds 404 from then on', { kind: 'status', status: 404 }, always],
  ['responds 403', { kind: 'status', status: 403 }, 1],
  ['responds with another value', { kind: 'json', value: { results: [] } }, 1],
];

it.each(faults)(
  'a load in which any request %s loses nothing, and the next load is exact',
  async (_, fault, times) => {
    const saved = await temporaryFolder();
    cpSync(site.root, saved, { recursive: true });
    const shownBefore = servedBy(site.service);
    changeService();
    site.service.clearRequests();
    await site.loadExactly();
    const { length } = site.service.requests;
    expect(length).toBeGreaterThan(6);
    for (let skip = 0; skip < length; skip++) {
      rmSync(site.root, { recursive: true });
      cpSync(saved, site.root, { recursive: true });
      changeService();
      const before = await site.state();
      const end = site.service.fail({ on: 'any', fault, times, skip });
      const load = await site.load();
      end();
      if (load.failure) expect(await site.state(), `request ${skip}`).toEqual(before);
      const possible = [...shownBefore, ...servedBy(site.service)];
      const shown = shownIn(load);
      for (const article of shown) expect(possible, `request ${skip}`).toContainEqual(article);
      // Articles that the service had before and has now are never missing.
      expect(shown.map(({ id }) => id)).toEqual(expect.arrayContaining(['2', '3', '4']));
      const { warnings } = await site.loadExactly();
      expect(warnings, `request ${skip}`).toEqual([]);
    }
  },
  240_000,
);
