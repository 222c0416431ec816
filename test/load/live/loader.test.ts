import { glob } from 'astro/loaders';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { Fault, FaultRule } from '../../../fixtures/service.ts';
import type { ArticlesLoaderOptions } from '../../../src/content/articles-loader.ts';
import type { Fetch } from '../../../src/http/send.ts';
import {
  type ArticlesError,
  ArticlesInvalidError,
  ArticlesOptionsError,
  ArticlesRequestError,
  type LiveArticlesOptions,
  liveArticleSchema,
  liveArticlesLoader,
} from '../../../src/live/index.ts';
import { liveLimits } from '../../../src/live/live-options.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { speedUp } from '../../helpers/time.ts';
import { useService } from '../../helpers/use-service.ts';

const collection = 'articles';
const service = await useService({ articles: [] });
const serviceOptions = { ...service.options };
let undo: (() => void)[] = [];

beforeEach(() => {
  service.replace(makeArticles(30, { words: [20, 60] }));
  service.clearRequests();
  speedUp(1);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  for (const each of undo) each();
  undo = [];
  Object.assign(service.options, serviceOptions);
  vi.restoreAllMocks();
});

function strike(on: FaultRule['on'], fault: Fault, times = 1): void {
  undo.push(service.fail({ on, fault, times }));
}

function loaderWith(options: LiveArticlesOptions = {}) {
  return liveArticlesLoader({ baseUrl: service.url, apiKey: service.apiKey, ...options });
}

function loadEntry(id: string, options?: LiveArticlesOptions) {
  return loaderWith(options).loadEntry({ filter: { id }, collection });
}

function loadCollection(filter?: object, options?: LiveArticlesOptions) {
  return loaderWith(options).loadCollection({ ...(filter ? { filter } : {}), collection });
}

/** Returns the result of a live loader, or throws its error. */
function unwrap<T extends object>(result: T | { error: ArticlesError } | undefined): T {
  if (result && 'error' in result) throw result.error;
  if (!result) throw new Error('the result is undefined');
  return result;
}

async function errorOf(result: Promise<object | undefined>): Promise<ArticlesError> {
  const value = await result;
  if (value && 'error' in value) return value.error as ArticlesError;
  throw new Error(`no error, but ${JSON.stringify(value)}`);
}

const ids = async (result: ReturnType<typeof loadCollection>) =>
  unwrap(await result).entries.map(({ id }) => Number(id));

describe('one article', () => {
  it('is loaded and rendered with one request', async () => {
    service.change(7, {
      title: 'How tides work',
      content: '# How tides work\n\nThe *moon* pulls.\n\n## Springs\n\n[Map](/map)\n',
      cover_image: 'https://cdn.example/tides.jpg?signed=1',
      reviewed: true,
    });
    const entry = unwrap(await loadEntry('7'));
    const { rendered } = entry;
    expect({ ...entry, rendered: { ...rendered, html: rendered.html.trim() } }).toEqual({
      id: '7',
      data: {
        title: 'How tides work',
        cover_image: 'https://cdn.example/tides.jpg?signed=1',
        slug: 'how-tides-work-7',
        description: 'The moon pulls.',
        words: 5,
        reviewed: true,
      },
      rendered: {
        html: `<p>The <em>moon</em> pulls.</p>\n<h2 id="springs">Springs</h2>\n<p><a href="/map">Map</a></p>`,
        metadata: { headings: [{ depth: 2, slug: 'springs', text: 'Springs' }] },
      },
      cacheHint: { tags: ['articles', 'articles:7'] },
    });
    expect(liveArticleSchema.parse(entry.data)).not.toHaveProperty('reviewed');
    expect(service.requests.map(({ kind }) => kind)).toEqual(['article']);
  });

  it.each(['31', 'how-tides-work-7', '..', '\ud800'])(
    '%j is unknown, and costs one request at most',
    async (id) => {
      expect(await loadEntry(id)).toBeUndefined();
      expect(service.count()).toBeLessThanOrEqual(1);
    },
  );

  it('is unknown while it is a draft, unless drafts are included', async () => {
    service.change(7, { title: '', content: '## Soon\n\nx' });
    expect(await loadEntry('7')).toBeUndefined();
    expect(unwrap(await loadEntry('7', { drafts: 'include' })).data.title).toBe('Soon');
  });

  it.each([
    ['https://cdn.example/a.jpg', 'https://cdn.example/a.jpg'],
    ['/media/tides.jpg', 'SERVICE/media/tides.jpg'],
    ['http://cdn.example/a.jpg', null],
    ['javascript:alert(1)', null],
    [null, null],
  ])('with the cover %j shows %j', async (cover_image, shown) => {
    service.change(7, { cover_image });
    const cover = shown?.replace('SERVICE', service.origin) ?? null;
    expect(unwrap(await loadEntry('7')).data.cover_image).toBe(cover);
  });

  it('has a script if the site trusts all articles', async () => {
    service.change(7, { content: '<script>1</script>' });
    const trusted = unwrap(await loadEntry('7', { sanitize: false })).rendered.html;
    expect(trusted).toContain('<script>1</script>');
  });

  it('has no other attributes than those of its own if the site trusts all articles', async () => {
    service.change(7, { content: '## A\n\nB\n-\n\n<h2>C</h2>' });
    const { html } = unwrap(await loadEntry('7', { sanitize: false })).rendered;
    expect(html).toBe('<h2 id="a">A</h2>\n<h2 id="b">B</h2>\n<h2>C</h2>');
  });

  it('that cannot be used is an error that names it', async () => {
    service.change(7, { title: 5 });
    const error = await errorOf(loadEntry('7'));
    expect(error).toBeInstanceOf(ArticlesInvalidError);
    expect(error.message).toContain('article "7", field title');
    service.change(8, { content: '> '.repeat(10_000) });
    expect((await errorOf(loadEntry('8'))).message).toContain(
      'its HTML is nested more than 150 levels deep',
    );
    service.change(8, { content: 'words '.repeat(6_000) });
    expect((await errorOf(loadEntry('8'))).message).toContain('the limit is 32,000');
    service.change(9, { content: '{' });
    const parse = async (code: string) => {
      if (code.startsWith('{')) throw new Error('unbalanced braces');
      return { code, metadata: { headings: [] } };
    };
    const render = { processor: { createRenderer: async () => ({ render: parse }) } };
    const { message } = await errorOf(loadEntry('9', { render }));
    expect(message).toContain('article "9", field content: unbalanced braces');
  });
});

describe('a collection', () => {
  const from = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => first - index);

  it.each([
    [undefined, from(30, 20)],
    [{}, from(30, 20)],
    [{ limit: 3 }, [30, 29, 28]],
    [{ limit: 3, offset: 28 }, [2, 1]],
    [{ offset: 30 }, []],
    [{ limit: 500 }, from(30, 30)],
  ])(
    'filtered by %j is that part of the listing, in its order, with one request',
    async (filter, expected) => {
      expect(await ids(loadCollection(filter))).toEqual(expected);
      expect(service.count()).toBe(1);
    },
  );

  it.each([
    [{ limit: 501 }, '`limit`', 'getLiveCollection()'],
    [{ offset: -1 }, '`offset`', 'getLiveCollection()'],
    [{ page: 2 }, '`page`', 'getLiveCollection()'],
    // An article is found by its id only.
    [{ slug: 'how-tides-work-7' }, '`slug`', 'getLiveEntry()'],
  ])('filtered by %j is refused without a request', async (filter, message, from) => {
    const load = loaderWith()[from === 'getLiveEntry()' ? 'loadEntry' : 'loadCollection'];
    const error = await errorOf(load({ filter: filter as never, collection }));
    expect(error).toBeInstanceOf(ArticlesOptionsError);
    expect(error.message).toContain(from);
    expect(error.message).toContain(message);
    expect(service.count()).toBe(0);
  });

  it('is complete where pages are shorter than requested', async () => {
    service.options.maxLimit = 7;
    expect(await ids(loadCollection({ limit: 20, offset: 2 }))).toEqual(from(28, 20));
    expect(await ids(loadCollection({ limit: 500 }))).toEqual(from(30, 30));
  });

  it('is complete if pages are short, have no count and do not say that more follow', async () => {
    Object.assign(service.options, { envelope: 'array', maxLimit: 7 });
    expect(await ids(loadCollection({ limit: 20, offset: 2 }))).toEqual(from(28, 20));
    expect(service.count('list')).toBe(3);
    service.clearRequests();
    expect(await ids(loadCollection({ limit: 500 }))).toEqual(from(30, 30));
    // Five with articles, and an empty one.
    expect(service.count('list')).toBe(6);
  });

  it('ends with the last row, if pages are short and have a count', async () => {
    Object.assign(service.options, { envelope: 'items', count: true, maxLimit: 7 });
    expect(await ids(loadCollection({ limit: 500 }))).toEqual(from(30, 30));
    expect(service.count('list')).toBe(5);
  });

  it('requests 500 rows at most, however many articles are missing', async () => {
    service.replace(makeArticles(900, { words: [1, 1] }));
    await loadCollection({ limit: 300 }, { transform: () => undefined });
    expect(service.requests.map(({ limit }) => limit)).toEqual([300, 500, 500]);
  });

  it('has an article once that the listing repeats, in its first form', async () => {
    const rewrite = (page: unknown) => {
      const { results } = Object(page);
      return { results: [...results, { ...results[0], title: 'Another' }] };
    };
    strike('list', { kind: 'rewrite', rewrite });
    const { entries } = unwrap(await loadCollection({ limit: 31 }));
    expect(entries.map(({ id }) => Number(id))).toEqual(from(30, 30));
    expect(entries[0]?.data.title).not.toBe('Another');
  });

  it('ends where a service ignores `limit` and `offset`', async () => {
    Object.assign(service.options, {
      envelope: 'array',
      ignoreLimit: true,
      ignoreOffset: true,
      defaultLimit: 100,
    });
    expect(await ids(loadCollection({ limit: 50 }))).toEqual(from(30, 30));
    expect(await ids(loadCollection({ limit: 5 }))).toEqual(from(30, 5));
  });

  it('continues behind drafts where a service ignores `limit`, and says that no page follows', async () => {
    Object.assign(service.options, { ignoreLimit: true, defaultLimit: 100 });
    for (const id of [30, 29, 28]) service.change(id, { content: '' });
    expect(await ids(loadCollection({ limit: 3 }))).toEqual([27, 26, 25]);
  });

  it('fetches each article when the rows are summaries, a few at a time', async () => {
    service.options.rows = 'summary';
    service.options.latency = 20;
    expect(await ids(loadCollection({ limit: 12 }, { concurrency: 3 }))).toEqual(from(30, 12));
    expect(service.count('article')).toBe(12);
    expect(service.maxActive).toBe(3);
  });

  it('leaves out an article that the service refuses, while it gives others', async () => {
    service.options.rows = 'summary';
    strike(({ id }) => id === '29', { kind: 'status', status: 403 }, Number.POSITIVE_INFINITY);
    expect(await ids(loadCollection({ limit: 3 }))).toEqual([30, 28, 27]);
  });

  it('has the entries that are loaded one by one', async () => {
    const { entries, cacheHint } = unwrap(await loadCollection({ limit: 3 }));
    for (const entry of entries) expect(unwrap(await loadEntry(entry.id))).toEqual(entry);
    expect(cacheHint).toEqual({ tags: ['articles', 'articles/list'] });
  });

  it('leaves out drafts, and articles that were removed meanwhile or cannot be used', async () => {
    service.options.rows = 'summary';
    service.change(29, { content: '' });
    strike(({ id }) => id === '28', { kind: 'status', status: 404 }, 2);
    service.change(27, { title: 5 });
    service.change(26, { content: '> '.repeat(10_000) });
    expect(await ids(loadCollection({ limit: 6 }))).toEqual([30, 25, 24, 23, 22, 21]);
  });

  it('has as many articles as requested, where drafts and others are left out', async () => {
    service.change(29, { content: '' });
    const transform: LiveArticlesOptions['transform'] = (article) =>
      Number(article.id) % 2 ? article : undefined;
    expect(await ids(loadCollection({ limit: 3 }))).toEqual([30, 28, 27]);
    expect(service.count()).toBe(2);
    expect(await ids(loadCollection({ limit: 3 }, { transform }))).toEqual([27, 25, 23]);
    service.clearRequests();
    expect(await ids(loadCollection({ limit: 20 }, { transform }))).toHaveLength(14);
    expect(service.count()).toBeLessThan(4);
    service.clearRequests();
    expect(await ids(loadCollection({ limit: 3 }, { transform: () => undefined }))).toEqual([]);
    expect(service.count()).toBe(4);
  });

  it('with an offset has the articles of its rows, so that pages do not overlap', async () => {
    service.change(29, { content: '' });
    expect(await ids(loadCollection({ limit: 3, offset: 0 }))).toEqual([30, 28]);
    expect(await ids(loadCollection({ limit: 3, offset: 3 }))).toEqual([27, 26, 25]);
  });

  it('of articles that cannot be used is an error, and not an empty page', async () => {
    service.replace(makeArticles(2).map((article) => ({ ...article, title: 5 })));
    expect(await errorOf(loadCollection())).toBeInstanceOf(ArticlesInvalidError);
  });

  it('without articles is an empty page', async () => {
    service.replace([]);
    expect(await ids(loadCollection())).toEqual([]);
  });

  it('continues behind rows without a usable id, and names their places in the listing', async () => {
    const articles = makeArticles(5).toReversed();
    service.replace(
      articles.map((article, at) => (at < 2 ? { ...article, id: `${at}\u0007` } : article)),
    );
    Object.assign(service.options, { envelope: 'array', maxLimit: 1 });
    expect(await ids(loadCollection({ limit: 3, offset: 0 }))).toEqual([3]);
    const parts = service.requests.map(({ limit, offset }) => [limit, offset]);
    expect(parts).toEqual([
      [3, 0],
      [2, 1],
      [1, 2],
    ]);
    const { notices } = (await errorOf(
      loadCollection({ limit: 2, offset: 0 }),
    )) as ArticlesInvalidError;
    const rows = ['(row 1 of the listing)', '(row 2 of the listing)'];
    expect(notices.map(({ ids: [id] }) => id)).toEqual(rows);
    expect(await ids(loadCollection({ limit: 2 }))).toEqual([3, 4]);
    const { message } = await errorOf(loadCollection({ limit: 1, offset: 1 }));
    expect(message).toContain('(row 2 of the listing)');
  });

  it('sends no more requests once it has failed', async () => {
    service.options.rows = 'summary';
    service.options.latency = 50;
    const isRefused: FaultRule['on'] = ({ kind, limit }) => kind === 'article' || limit === 1;
    strike(isRefused, { kind: 'status', status: 403 }, Number.POSITIVE_INFINITY);
    await errorOf(loadCollection({ limit: 20 }, { concurrency: 2 }));
    const requests = service.count();
    await expect.poll(() => service.activeRequests).toBe(0);
    expect(service.count()).toBe(requests);
  });
});

describe('an error of other code', () => {
  const linesOf = () => vi.mocked(console.error).mock.calls.join('\n');

  it('is logged, and passed on', async () => {
    const fetch: Fetch = () => Promise.reject(new Error('x'));
    vi.spyOn(systemClock, 'now').mockImplementation(() => {
      throw new RangeError(`of other code, with ${service.apiKey}`);
    });
    const { loadEntry: load } = loaderWith({ fetch });
    for (const id of ['7', '8'])
      await expect(load({ filter: { id }, collection })).rejects.toThrow(RangeError);
    expect(console.error).toHaveBeenCalledOnce();
    expect(linesOf()).toContain('Live collection "articles": RangeError: of other code');
    expect(linesOf()).not.toContain(service.apiKey);
  });
});

describe('a service with problems', () => {
  const haste = 10;
  const soon = { timeout: 5_000 };
  const sooner = { ...soon, timeout: 1_000 };

  beforeEach(() => speedUp(haste));

  it.each([
    [{ kind: 'status', status: 500 }, 'server-error', 2],
    [{ kind: 'status', status: 429, headers: { 'retry-after': '60' } }, 'throttled', 1],
    [{ kind: 'never' }, 'timeout', 2],
  ] as const)('such as %j is a typed error, after few attempts', async (fault, code, attempts) => {
    strike('any', fault, Number.POSITIVE_INFINITY);
    const limits = code === 'timeout' ? sooner : soon;
    for (const load of [() => loadEntry('7', limits), () => loadCollection({}, limits)]) {
      service.clearRequests();
      const error = await errorOf(load());
      expect(error).toBeInstanceOf(ArticlesRequestError);
      expect(error.code).toBe(code);
      expect(service.count()).toBe(attempts);
    }
  });

  it('ends the whole load in time, however many requests it needs', async () => {
    service.options.rows = 'summary';
    let passed = 0;
    vi.spyOn(systemClock, 'now').mockImplementation(() => passed);
    const slowly: Fetch = (url, init) => {
      passed += liveLimits.totalTimeout / 10;
      return fetch(url, init);
    };
    const options = { ...soon, concurrency: 1, fetch: slowly };
    expect((await errorOf(loadCollection({ limit: 30 }, options))).code).toBe('total-timeout');
    expect(service.count()).toBe(10);
    await expect.poll(() => service.activeRequests).toBe(0);
  });

  it('does not affect the next load', async () => {
    const loader = loaderWith({ retries: 0 });
    // A request of an earlier test may arrive only now, and none was for this article.
    const isOwn: FaultRule['on'] = ({ path }) => /\/9\b/.test(path);
    strike(isOwn, { kind: 'status', status: 429, headers: { 'retry-after': '3600' } });
    const context = { filter: { id: '9' }, collection };
    expect((await errorOf(loader.loadEntry(context))).code).toBe('throttled');
    expect(unwrap(await loader.loadEntry(context)).id).toBe('9');
  });
});

describe('options', () => {
  it.each([
    [{ mirrorFolder: 'x' }, 'Unknown option `mirrorFolder`'],
    [{ render: { shikiConfig: {} } }, 'expected Markdown settings with a `processor`'],
  ])('%j are refused at once', (options, message) => {
    const make = () => liveArticlesLoader(options as LiveArticlesOptions);
    expect(make).toThrow(ArticlesOptionsError);
    expect(make).toThrow(message);
  });

  it('are those of articlesLoader(), and those that only builds use have no effect', async () => {
    const options: Required<ArticlesLoaderOptions> = {
      ...{ baseUrl: service.url, apiKey: service.apiKey, fetch, query: { a: 'b' } },
      ...{ pageSize: 3, concurrency: 8, timeout: 30_000, retries: 2 },
      ...{ rows: 'whole', order: 'oldest-first', newest: 1, bodies: 'mirror', entryId: 'slug' },
      ...{ mirrorDir: 'x', images: { body: 'local', maxBytes: 1 }, failOn: ['images'] },
      ...{ format: 'html', sanitize: 'strict', links: 'service', drafts: 'include' },
      transform: ({ content, ...article }) => ({ ...article, content: `<a href="/b">${content}` }),
      with: glob({ pattern: '*.md' }),
    };
    service.change(7, { title: '', content: 'a' });
    const { loadEntry } = liveArticlesLoader(options);
    const entry = unwrap(await loadEntry({ filter: { id: '7' }, collection }));
    expect(entry.id).toBe('7');
    expect(entry.rendered.html).toBe(`<a href="${new URL('/b', service.url)}">a</a>`);
    expect(await ids(loadCollection({ limit: 5 }, options))).toHaveLength(5);
  });

  it.each([
    [{ apiKey: 'two words' }, 'key-malformed'],
    [{ baseUrl: 'http://app.example.com' }, 'invalid-options'],
  ])(
    '%j fail when a page is rendered, because a build may not have them',
    async (options, code) => {
      const error = await errorOf(loadEntry('7', options));
      expect(error).toMatchObject({ name: 'ArticlesOptionsError', code });
      expect(error.message).not.toContain('two words');
    },
  );

  it.each([
    ['baseUrl', 'ARTICLES_BASE_URL'],
    ['apiKey', 'ARTICLES_API_KEY'],
  ])('that are required are named, with their variables: %s', async (option, variable) => {
    const error = await errorOf(loadEntry('7', { [option]: undefined }));
    expect(error.message).toContain(`\`${option}\` of liveArticlesLoader() is not set.`);
    expect(error.hint).toContain(`getSecret('${variable}')`);
  });

  it('`query` is a part of each request for the listing', async () => {
    await loadCollection({ limit: 5 }, { query: { status: 'published' } });
    const paths = service.requests.map(({ path }) => path);
    expect(paths).toEqual([expect.stringContaining('&status=published')]);
  });

  it('never show the key, also if it is the id of an article', async () => {
    const apiKey = 'live-key-4711';
    Object.assign(service.options, { apiKey });
    const article = { title: 't', content: 'c', cover_image: null };
    service.replace([
      { ...article, id: 1 },
      { ...article, id: apiKey },
      { ...article, id: `${apiKey}\u0007` },
    ]);
    const result = await loadCollection({}, { apiKey });
    expect(unwrap(result).entries.map(({ id }) => id)).toEqual(['1']);
    service.remove(1);
    const error = await errorOf(loadCollection({}, { apiKey }));
    expect(error.message).toContain('it contains the API key');
    expect(`${JSON.stringify(result)} ${error.message} ${JSON.stringify(error)}`).not.toContain(
      apiKey,
    );
  });
});

it('logs each kind of error once, with its collection and what to do', async () => {
  for (const id of [7, 8]) service.change(id, { title: 5 });
  const loader = loaderWith();
  for (const id of ['7', '8', '7']) await errorOf(loader.loadEntry({ filter: { id }, collection }));
  for (const limit of [0, 501])
    await errorOf(loader.loadCollection({ filter: { limit }, collection }));
  const logged = vi.mocked(console.error).mock.calls.map(([line]) => String(line));
  expect(logged).toHaveLength(2);
  expect(logged[0]).toContain('article "7", field title');
  expect(logged[1]).toContain('getLiveCollection()');
  for (const text of logged) {
    const [first = '', ...more] = text.split('\n');
    expect(first).toMatch(/^\[astro-articles\] Live collection "articles": \S/);
    expect(more.find((line) => line.startsWith('  Hint: '))).toMatch(/: \S/);
    expect(more.filter((line) => !line.startsWith('  '))).toEqual([]);
  }
});
