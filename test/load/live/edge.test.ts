import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readArticles } from '../../../fixtures/articles.ts';
import { type LiveArticle, liveArticlesLoader } from '../../../src/live/index.ts';
import { bundle } from '../../helpers/bundle.ts';
import { useService } from '../../helpers/use-service.ts';
import { startWorkerd, type Workerd } from './workerd.ts';

const worker = `
  import { liveArticlesLoader } from './src/live/index.ts';
  import { liveLimits } from './src/live/live-options.ts';
  // A busy machine may need longer than a reader would wait.
  liveLimits.totalTimeout = 120_000;
  const loaders = new Map();
  const loaderWith = (env, timeout) =>
    liveArticlesLoader({ baseUrl: env.BASE_URL, apiKey: env.API_KEY, timeout: Number(timeout ?? 60_000) });
  export default {
    async fetch(request, env) {
      const timeout = request.headers.get('x-timeout');
      if (!loaders.has(timeout)) loaders.set(timeout, loaderWith(env, timeout));
      const loader = loaders.get(timeout);
      const { pathname, searchParams } = new URL(request.url);
      const id = pathname.slice(1);
      const filter = Object.fromEntries([...searchParams].map(([name, value]) => [name, Number(value)]));
      const result = id
        ? await loader.loadEntry({ filter: { id: decodeURIComponent(id) }, collection: 'articles' })
        : await loader.loadCollection({ filter, collection: 'articles' });
      if (!result) return new Response('unknown', { status: 404 });
      if (!('error' in result)) return Response.json(result);
      const { name, code, message } = result.error;
      return Response.json({ name, code, message }, { status: 502 });
    },
  };`;

describe('in workerd', async () => {
  const service = await useService();
  let workerd: Workerd;

  beforeAll(async () => {
    const { code } = await bundle(worker, ['workerd', 'worker']);
    workerd = await startWorkerd(code, { BASE_URL: service.url, API_KEY: service.apiKey });
    return () => workerd.stop();
  });

  beforeEach(() => service.replace(readArticles()));

  const request = async (path: string, headers = {}) => {
    const response = await fetch(workerd.url + path, { headers });
    const text = await response.text();
    expect(text).not.toContain(service.apiKey);
    return { status: response.status, text };
  };
  const requestJson = async (path: string) => JSON.parse((await request(path)).text);

  it('every article is the same as in Node', async () => {
    const loader = liveArticlesLoader({ baseUrl: service.url, apiKey: service.apiKey });
    const here = await loader.loadCollection({ filter: { limit: 500 }, collection: 'articles' });
    const there = await requestJson('/?limit=500');
    expect(there).toEqual(JSON.parse(JSON.stringify(here)));
    expect(there.entries).toHaveLength(readArticles().length);
    for (const { id, rendered } of there.entries as LiveArticle[]) {
      expect(rendered.html, id).toMatch(/<p>/);
      expect(await requestJson(`/${id}`), id).toMatchObject({ id, rendered });
    }
  });

  it('fetches the articles of summaries in parallel, and lets no reader wait for another', async () => {
    service.options.rows = 'summary';
    service.clearRequests();
    const pages = await Promise.all(Array.from({ length: 8 }, () => requestJson('/?limit=10')));
    service.options.rows = 'full';
    for (const page of pages) expect(page.entries, JSON.stringify(page)).toHaveLength(10);
    expect(service.count('list')).toBe(pages.length);
  });

  it('an id with a hash in its slug, and unknown ids, are the same as in a build', async () => {
    const id = '550e8400-e29b-41d4-a716-446655440000';
    service.add({ id, title: 'Knots', content: 'x', cover_image: null });
    expect((await requestJson(`/${id}`)).data.slug).toBe('knots-kmgao3uroy');
    expect(await request('/unknown')).toMatchObject({ status: 404 });
  });

  it.each([
    [{ kind: 'status', status: 503 }, 'server-error'],
    [{ kind: 'never' }, 'timeout'],
    [{ kind: 'redirect', location: 'https://other.example/' }, 'redirect'],
  ] as const)('%j is a typed error', async (fault, code) => {
    const stop = service.fail({ on: 'any', times: Number.POSITIVE_INFINITY, fault });
    const short = code === 'timeout' && { 'x-timeout': '200' };
    const { status, text } = await request('/2', { ...short });
    stop();
    expect(status).toBe(502);
    expect(JSON.parse(text)).toMatchObject({ name: 'ArticlesRequestError', code });
    expect((await request('/2')).status).toBe(200);
  });

  it('Markdown that overflows the stack is a typed error, too', async () => {
    service.change(3, { content: '> '.repeat(20_000) });
    expect(await requestJson('/3')).toMatchObject({ name: 'ArticlesInvalidError' });
  });

  it('nothing unexpected is printed', () => {
    // A live loader logs each kind of error once.
    const lines = workerd.output().split('\n').filter(Boolean);
    const logged =
      /^(\[astro-articles\] Live collection| {2}(Hint: |See node_modules|- article | {2}- article ))/;
    expect(lines.filter((line) => !logged.test(line))).toEqual([]);
    expect(lines.length).toBeGreaterThan(0);
  });
});
