import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { useSite } from '../helpers/use-site.ts';

const site = useSite({ articles: () => makeArticles(2), options: { retries: 0 } });

describe('log lines', () => {
  it('name the collection if the site has several', async () => {
    const first = await site.load({}, { collection: 'blog' });
    expect(first.log).toMatch(/^2 articles shown: /m);
    for (const collection of ['news', 'blog']) {
      const { log } = await site.load({}, { collection });
      expect(log).toMatch(new RegExp(`^${collection}: 2 articles shown: `, 'm'));
    }
    site.strike('any', { kind: 'status', status: 503 });
    const { warnings } = await site.load({ failOn: ['articles'] }, { collection: 'news' });
    expect(warnings).toEqual([
      expect.stringMatching(/^news: Using articles from less than a minute ago/),
    ]);
  });

  it('report the progress of a load that takes long', async () => {
    await site.load();
    for (const id of [1, 2]) site.service.change(id, { content: 'Changed.' });
    let time = 0;
    vi.spyOn(systemClock, 'now').mockImplementation(() => (time += 5_000));
    const { log } = await site.load();
    expect(log).toMatch(/^2 articles listed$/m);
    expect(log).toMatch(/^0\/2 articles fetched \(0 %\)/m);
    expect(log).toMatch(/^2\/2 articles fetched \(100 %\)/m);
  });

  it('say that all articles would disappear, also if there is only one', async () => {
    site.service.replace(makeArticles(1));
    await site.load();
    site.service.replace([]);
    const { failure } = await site.load();
    expect(failure?.message).toBe(
      'The service lists no articles. All articles that the site shows would disappear.',
    );
  });
});

describe('in a run of GitHub Actions', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('each kind of problem is an annotation, and the load is in the summary', async () => {
    const summary = join(site.root, 'summary.md');
    vi.stubEnv('GITHUB_ACTIONS', 'true');
    vi.stubEnv('GITHUB_STEP_SUMMARY', summary);
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    site.service.change(1, { cover_image: '/media/none.png' });
    site.service.change(2, { cover_image: '/media/none, too.png' });
    await site.load();
    site.strike('any', { kind: 'status', status: 500 });
    for (const failOn of [[], ['service' as const]]) await site.load({ failOn });

    const title = 'title=Collection "articles"%3A';
    expect(write.mock.calls.map(([line]) => line)).toEqual([
      expect.stringMatching(`^::warning ${title} images with problems .2.::Cover .*%0ACover `),
      expect.stringMatching(`^::warning ${title} not up to date::Using articles from .*GET `),
      expect.stringMatching(`^::error ${title} not loaded::`),
    ]);
    const text = await readFile(summary, 'utf8');
    expect(text).toContain('### Articles: collection articles');
    expect(text).toMatch(/^- synced: 2 articles shown: 2 added, 0 updated, .*; \d+ requests/m);
  });
});
