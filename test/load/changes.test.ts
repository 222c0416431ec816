import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { Fetch } from '../../src/http/send.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { allowRemoval, always, type Load, type LoadMore, useSite } from '../helpers/use-site.ts';

const site = useSite(allowRemoval);
const one = { id: 1, title: 't', content: 'c', cover_image: null };

/** The ids of the articles that were requested one by one. */
const requested = () =>
  site.service.requests.flatMap(({ kind, id = [] }) => (kind === 'article' ? id : [])).toSorted();

describe('a load', () => {
  it.each([
    ['first', 1],
    ['second', 3],
  ])(
    'fetches an article whose row is outdated in the %s reading of the listing, until it equals its row',
    async (_, outdatedRequest) => {
      site.service.replace(makeArticles(3));
      await site.loadExactly();
      const known = site.service.articles.find(({ id }) => id === 1)?.content;
      let lists = 0;
      site.service.beforeResponse = async ({ kind }) => {
        const isOutdated = kind === 'list' && ++lists === outdatedRequest;
        site.service.change(1, { content: isOutdated ? known : 'Newer.' });
      };
      // The second response counts one article less than the first, so request 3 reads the listing again.
      const rewrite = (page: unknown) => ({ ...Object(page), count: 4 });
      site.strike('list', { kind: 'rewrite', rewrite }, 1);
      const { entries } = await site.load();
      expect(lists, 'the requests for the listing').toBe(3);
      expect([...entries.values()].map(({ id, body }) => `${id} ${body}`)).toContain('1 Newer.');
      // This load finds that the article has not changed, and equals its row.
      await site.loadExactly();
      site.service.clearRequests();
      await site.loadExactly();
      expect(requested()).toEqual([]);
    },
  );

  it('says why it has rendered all articles again, unless it is the first one', async () => {
    site.service.replace(makeArticles(3));
    site.service.change(1, { content: '<marquee>Text</marquee>' });
    const first = await site.loadExactly();
    const changed = await site.loadExactly({ sanitize: { tags: ['marquee'] } });
    expect(changed.log).toContain(
      'All 3 articles were rendered again, because of a change in the options of rendering.',
    );
    const same = await site.loadExactly({ sanitize: { tags: ['marquee'] } });
    // As a preview and a build by turns.
    const again = await site.loadExactly();
    for (const { log } of [first, same, again]) expect(log).not.toContain('rendered again');
    const hasTag = ({ entries }: Load) => entries.get('1')?.rendered?.html.includes('<marquee');
    expect([first, changed, same, again].map(hasTag)).toEqual([false, true, true, false]);
  });

  it('downloads no image again while two configurations are built by turns', async () => {
    site.service.replace([{ ...one, content: '![a](/media/snow.jpg) ![b](/media/tides.jpg)' }]);
    const requests: number[] = [];
    for (const body of ['local', 'remote', 'local', 'remote', 'local'] as const) {
      site.service.clearRequests();
      await site.loadExactly({ images: { body } });
      requests.push(site.service.count('media'));
    }
    expect(requests).toEqual([2, 0, 0, 0, 0]);
  });

  it('says why it has requested all articles again, which logs of programs do not cause', async () => {
    site.service.replace(makeArticles(3));
    const passing = { fetch: ((url, init) => fetch(url, init)) as Fetch };
    const logs: string[] = [];
    const load = async (options: ArticlesOptions) => {
      site.service.clearRequests();
      const { log } = await site.loadExactly(options);
      logs.push(log);
      const [reason] = /All 3 articles were requested again.*/.exec(log) ?? [];
      return [requested().length, reason];
    };
    const because = (input: string) =>
      `All 3 articles were requested again, because of a change in ${input}.`;
    expect(await load(passing)).toEqual([3, undefined]);
    await writeFile(join(site.root, 'build.log'), 'A line.');
    expect(await load(passing)).toEqual([0, undefined]);
    await writeFile(join(site.root, 'gateway.ts'), 'export {};');
    expect(await load(passing)).toEqual([3, because('`gateway.ts`')]);
    expect(await load({})).toEqual([3, because('the option `fetch`')]);
    expect(await load({})).toEqual([0, undefined]);
    const rows = { changedBy: 'updated_at' };
    expect(await load({ rows })).toEqual([3, because('the option `rows`')]);
    const otherField = { rows: { changedBy: 'version' } };
    expect(await load(otherField)).toEqual([3, because('the option `rows`')]);
    expect(logs.join()).not.toContain('rendered again');
  });

  it('shows what it renders with `--force` in place of the HTML of an earlier load', async () => {
    site.service.replace([one]);
    const htmlOf = async (mark: string) => {
      const adapt: LoadMore['adapt'] = (context) => ({
        ...context,
        async renderMarkdown(...args) {
          const rendered = await context.renderMarkdown(...args);
          return { ...rendered, html: `${rendered.html}<p>${mark}</p>` };
        },
      });
      const { entries } = await site.loadExactly({}, { adapt });
      return entries.get('1')?.rendered?.html.replaceAll('\n', '');
    };
    expect(await htmlOf('half')).toBe('<p>c</p><p>half</p>');
    expect(await htmlOf('whole')).toBe('<p>c</p><p>half</p>');
    process.argv.push('--force');
    const forced = await htmlOf('whole').finally(() => process.argv.pop());
    expect(forced).toBe('<p>c</p><p>whole</p>');
    expect(await htmlOf('other')).toBe('<p>c</p><p>whole</p>');
  });

  it('does not fetch an article whose cover has only another signature', async () => {
    const signed = (signature: string) => `/media/a.jpg?X-Amz-Signature=${signature}&w=1`;
    const options = { images: { covers: 'remote' } } as const;
    site.service.replace([{ ...one, cover_image: signed('1') }]);
    await site.loadExactly(options);
    site.service.change(1, { cover_image: signed('2') });
    site.service.clearRequests();
    const { entries } = await site.loadExactly(options);
    expect(requested()).toEqual([]);
    expect(entries.get('1')?.assetImports?.join()).toContain('Signature=2');
    site.service.change(1, { cover_image: '/media/a.jpg?w=2' });
    await site.loadExactly(options);
    expect(requested()).toEqual(['1']);
  });

  it('shows the cover with the newest signature, from the row or from the article', async () => {
    const options = { images: { covers: 'remote' } } as const;
    const cover = async () => {
      const { entries } = await site.load(options);
      return entries.get('1')?.assetImports?.join();
    };
    site.service.replace([{ ...one, cover_image: '/media/a.jpg' }]);
    const cover_image = '/media/a.jpg?X-Amz-Signature=short-lived';
    const rewrite = (value: unknown) => ({ ...Object(value), cover_image });
    site.strike('article', { kind: 'rewrite', rewrite }, 1);
    expect(await cover()).toContain('short-lived');
    // By now that signature may have expired.
    expect(await cover()).not.toContain('short-lived');
    expect(requested()).toEqual(['1']);
  });

  it('requests an article again within a minute of a change that only its row shows', async () => {
    const options = { rows: { changedBy: 'edited' } } as const;
    const withoutField = (value: unknown) => ({ ...Object(value), edited: undefined });
    site.strike('article', { kind: 'rewrite', rewrite: withoutField }, always);
    site.service.options.rows = 'summary';
    const requestedIn = async (edited: number) => {
      const date = new Date(Date.now() - edited).toISOString();
      site.service.replace([{ ...one, cover_image: null, edited: date }]);
      const loads = [];
      for (const _ of [1, 2]) {
        site.service.clearRequests();
        await site.load(options);
        loads.push(requested());
      }
      return loads;
    };
    expect(await requestedIn(30_000)).toEqual([['1'], ['1']]);
    expect(await requestedIn(90_000)).toEqual([['1'], []]);
  });

  it('fetches articles whose rows were used, once they are compared', async () => {
    site.service.replace(makeArticles(3));
    await site.loadExactly({ rows: 'whole' });
    for (const [rows, requests] of [
      ['whole', 0],
      ['compare', 3],
      ['compare', 0],
      ['whole', 0],
      ['compare', 0],
    ] as const) {
      site.service.clearRequests();
      await site.loadExactly({ rows });
      expect(requested()).toHaveLength(requests);
    }
  });
});
