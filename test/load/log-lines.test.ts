import type { SchemaContext } from 'astro/content/config';
import { describe, expect, it, vi } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { articleSchema } from '../../src/content/schema.ts';
import { siteAt } from '../../src/content/site-state.ts';
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
    expect(warnings).toEqual([expect.stringMatching(/^news: Using articles from .* GMT/)]);
  });

  it('have a warning in each build, and in astro dev only when it is new', async () => {
    const broken = { content: '---\n"title": A: b\n---\n\nText.' };
    site.service.change(1, broken);
    const idsIn = (log: string) =>
      Array.from(log.matchAll(/front matter of articles? (".*") is not shown/g), ([, ids]) => ids);
    for (let build = 1; build <= 2; build++)
      expect(idsIn((await site.load()).log)).toEqual(['"1"']);
    const dev = { command: 'dev' } as const;
    await site.load({}, dev);
    expect(idsIn((await site.load({}, dev)).log)).toEqual([]);
    site.service.change(2, broken);
    expect(idsIn((await site.load({}, dev)).log)).toEqual(['"2"']);
  });

  it.each([
    ['the service is available', false],
    ['the articles are those of the mirror', true],
  ])('say once that an edited schema refuses most articles, while %s', async (_, isDown) => {
    site.service.replace(makeArticles(8));
    let isStrict = false;
    const schema = (context: SchemaContext) =>
      articleSchema(context).refine(({ position }) => !isStrict || position < 3, 'is too strict');
    await site.load({}, { schema });
    const { context } = await site.load({}, { schema, command: 'dev' });
    const check = async () => {
      const before = context.lines.length;
      await siteAt(context.config.root).reloads.get('articles')?.();
      await context.save();
      const lines = context.lines.slice(before).map(({ message }) => message);
      return lines.filter((line) => line.includes(' shown'));
    };
    expect(await check()).toEqual([]);
    isStrict = true;
    if (isDown) site.strike('any', { kind: 'status', status: 503 });
    expect(await check()).toEqual([expect.stringContaining('2 articles shown, 6 left out')]);
    for (const _ of [1, 2]) expect(await check()).toEqual([]);
    isStrict = false;
    expect(await check()).toEqual([expect.stringContaining('8 articles shown')]);
    expect(await check()).toEqual([]);
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
});
