import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FixtureArticle, makeArticles } from '../../../fixtures/articles.ts';
import { type Fault, type FixtureService, startService } from '../../../fixtures/service.ts';
import type { ArticlesOptions } from '../../../src/options/options.ts';
import { hash } from '../../../src/shared/hash.ts';
import { sync } from '../../../src/sync/sync.ts';
import { mirrored, prepareSync, syncOnce as syncMirror } from '../../helpers/sync.ts';

let service: FixtureService;
let folder: string;

beforeAll(async () => {
  service = await startService({ articles: [] });
});
afterAll(() => service.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sync-'));
  service.clearRequests();
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  service.beforeAnswer = undefined;
  Object.assign(service.options, {
    rows: 'full',
    envelope: 'results',
    maxLimit: 500,
    count: undefined,
  });
});

const withService = (given: ArticlesOptions) => ({
  baseUrl: service.url,
  apiKey: service.apiKey,
  ...given,
});
const syncOnce = (given: ArticlesOptions = {}) => syncMirror(folder, withService(given));
const prepare = (given: ArticlesOptions) => prepareSync(folder, withService(given));

const contents = () => mirrored(folder, service.url);
const served = () =>
  service.articles.map(({ id, title, content }) => ({ id: String(id), title, content }));

/** Counts the requests of a task, and the texts of articles that it reads. */
async function readsOf(task: () => Promise<unknown>) {
  service.clearRequests();
  const parse = vi.spyOn(JSON, 'parse');
  try {
    await task();
    const rows = parse.mock.calls.filter(([text]) => /^{[^[]*"content":/.test(text)).length;
    return { rows, requests: service.count() };
  } finally {
    parse.mockRestore();
  }
}

describe('a sync', () => {
  it('fetches what is new or changed, and nothing else', async () => {
    service.replace(makeArticles(10));
    await syncOnce();
    service.change(4, { content: 'changed' });
    service.remove(7);
    service.add({ id: 'new', title: 'New', content: 'new', cover_image: null });
    service.clearRequests();
    await syncOnce();
    expect(await contents()).toEqual(served());
    expect(service.requests.filter(({ kind }) => kind === 'article').map(({ id }) => id)).toEqual(
      expect.arrayContaining(['4', 'new']),
    );
    expect(service.count('article')).toBe(2);
  });

  it('fetches again what only tells the same in the listing', async () => {
    service.replace([{ id: 1, title: 't', content: 'c', cover_image: null, reviewed: false }]);
    await syncOnce();
    service.change(1, { reviewed: true });
    service.clearRequests();
    await syncOnce();
    expect(service.count('article')).toBe(1);
  });

  it('does not fetch an article whose cover is only signed anew', async () => {
    const signed = (signature: string) => `/media/a.jpg?X-Amz-Signature=${signature}&w=1`;
    service.replace([{ id: 1, title: 't', content: 'c', cover_image: signed('1') }]);
    await syncOnce({ images: { covers: 'remote' } });
    service.change(1, { cover_image: signed('2') });
    service.clearRequests();
    const { mirror } = await syncOnce({ images: { covers: 'remote' } });
    expect(service.count('article')).toBe(0);
    expect(mirror.index.articles).toMatchObject([{ cover: signed('2') }]);
    service.change(1, { cover_image: '/media/a.jpg?w=2' });
    await syncOnce({ images: { covers: 'remote' } });
    expect(service.count('article')).toBe(1);
  });

  it('knows an id for what it was written as, also in a row that it need not read', async () => {
    const articles = makeArticles(3).map((article) => ({ ...article, id: String(article.id) }));
    for (const written of [String, Number]) {
      service.replace(articles.map((article) => ({ ...article, id: written(article.id) })));
      service.clearRequests();
      await syncOnce();
      await syncOnce();
      // The same articles to us, however their ids are written.
      expect(service.count('article')).toBe(written === String ? 3 : 0);
      const [first, ...others] = service.articles;
      if (!first) throw new Error('no article');
      const other = { ...first, id: written === String ? Number(first.id) : String(first.id) };
      service.replace([first, ...others, other]);
      await expect(syncOnce()).rejects.toMatchObject({ code: 'id-clash' });
    }
  });

  it('reads no row whose bytes it knows, and knows those of a row that tells the same otherwise', async () => {
    service.replace(makeArticles(5));
    await syncOnce();
    expect(await readsOf(() => syncOnce())).toEqual({ rows: 0, requests: 1 });
    service.replace(service.articles.map(({ id, title, ...rest }) => ({ ...rest, title, id })));
    expect(await readsOf(() => syncOnce())).toEqual({ rows: 5, requests: 1 });
    expect(await readsOf(() => syncOnce())).toEqual({ rows: 0, requests: 1 });
    service.change(2, { content: 'changed' });
    expect(await readsOf(() => syncOnce())).toEqual({ rows: 2, requests: 2 });
    expect(await contents()).toEqual(served());
  });

  it('keeps the cover as it was signed last, in a row or in an article', async () => {
    const options: ArticlesOptions = { images: { covers: 'remote' } };
    const coverOf = async () => (await syncOnce(options)).mirror.index.articles[0]?.cover;
    service.replace([{ id: 1, title: 't', content: 'c', cover_image: '/media/a.jpg' }]);
    const cover_image = '/media/a.jpg?X-Amz-Signature=short-lived';
    const rewrite = (value: unknown) => ({ ...Object(value), cover_image });
    service.fail({ on: 'article', fault: { kind: 'rewrite', rewrite } });
    expect(await coverOf()).toBe(cover_image);
    // By now that signature may have expired, and the row is the last word.
    expect(await coverOf()).toBe('/media/a.jpg');
    expect(await readsOf(coverOf)).toEqual({ rows: 0, requests: 1 });
  });

  it('reads all rows once again after an upgrade, and fetches nothing', async () => {
    service.replace(makeArticles(5));
    const { mirror } = await syncOnce();
    const path = join(mirror.folder, 'index.json');
    const [, ...lines] = (await readFile(path, 'utf8')).split('\n');
    const body = lines.join('\n').replace(/"readBy":"[^"]+"/, '"readBy":"0.0.1"');
    const head = { format: 'astro-articles mirror', version: 1, hash: hash(body) };
    await writeFile(path, `${JSON.stringify(head)}\n${body}`);
    expect(await readsOf(() => syncOnce())).toEqual({ rows: 5, requests: 1 });
    expect(await readsOf(() => syncOnce())).toEqual({ rows: 0, requests: 1 });
  });

  it('fetches nothing again where rows cannot be told apart by their bytes', async () => {
    service.replace(makeArticles(5));
    const rewrite = (value: unknown) => ({ results: [...Object(value).results, null] });
    for (const time of ['first', 'second']) {
      service.clearRequests();
      const undo = service.fail({ on: 'list', fault: { kind: 'rewrite', rewrite }, times: 99 });
      await syncOnce({ onInvalid: 'keep' }).finally(undo);
      expect(service.count('article')).toBe(time === 'first' ? 5 : 0);
    }
    expect(await contents()).toEqual(served());
  });

  it.each([
    [false, 1],
    [true, 0],
  ])('mends what is missing behind a known row (trusted: %s)', async (trustList, requests) => {
    service.replace(makeArticles(3));
    const { mirror } = await syncOnce({ trustList });
    const [article] = mirror.index.articles;
    await rm(join(mirror.folder, 'articles', `${article?.object}.json`));
    service.clearRequests();
    await syncOnce({ trustList });
    expect(service.count('article')).toBe(requests);
    expect(await contents()).toEqual(served());
  });

  it('asks for articles whose rows were trusted, once they are no longer', async () => {
    service.replace(makeArticles(3));
    await syncOnce({ trustList: true });
    for (const [trustList, requests] of [
      [true, 0],
      [false, 3],
      [false, 0],
      [true, 0],
      [false, 0],
    ] as const) {
      service.clearRequests();
      await syncOnce({ trustList });
      expect(service.count('article')).toBe(requests);
    }
  });

  it('needs the listing only, when it is told to trust it', async () => {
    service.replace(makeArticles(30));
    await syncOnce({ trustList: true, pageSize: 10 });
    expect(await contents()).toEqual(served());
    expect(service.requests.map(({ kind }) => kind)).toEqual(['list', 'list', 'list']);
  });

  it('asks for no more of a trusted listing than it has room for', async () => {
    service.replace(makeArticles(2000));
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { client, mirror, options } = await prepare({ trustList: true, pageSize: 100 });
    const { writeArticle } = mirror;
    mirror.writeArticle = async (article) => {
      await gate;
      return writeArticle(article);
    };
    const running = sync({ client, mirror, options });
    // Pages that nothing keeps back come within a few milliseconds.
    for (let listed = -1; service.count('list') !== listed; ) {
      listed = service.count('list');
      await setTimeout(200);
    }
    expect(service.count('list')).toBeLessThan(10);
    open();
    await running;
    expect(service.count('list')).toBe(20);
    expect(await contents()).toEqual(served());
  });

  it('lives with listed articles that the service does not have, first time and later', async () => {
    service.replace(makeArticles(10));
    const phantom = ({ id }: { id?: string }) => ['1', '2', '3'].includes(id ?? '');
    const missing = { kind: 'status', status: 404 } as const;
    const undo = service.fail({ on: phantom, times: Number.POSITIVE_INFINITY, fault: missing });
    for (let build = 0; build < 3; build++) {
      await syncOnce();
      expect(await contents()).toHaveLength(7);
    }
    undo();
    await syncOnce();
    expect(await contents()).toHaveLength(10);
  });

  it('refuses a service that has none of the articles it lists', async () => {
    service.replace(makeArticles(10));
    const missing = { kind: 'status', status: 404 } as const;
    const undo = service.fail({ on: 'article', times: Number.POSITIVE_INFINITY, fault: missing });
    await expect(syncOnce()).rejects.toMatchObject({ code: 'articles-missing' });
    undo();
  });

  it('has ended all its work when it fails', async () => {
    service.replace(makeArticles(60));
    service.fail({ on: 'article', skip: 20, fault: { kind: 'status', status: 401 } });
    await expect(syncOnce()).rejects.toMatchObject({ code: 'unauthorized' });
    const files = await readdir(join(folder, 'articles'));
    await setTimeout(100);
    expect(await readdir(join(folder, 'articles'))).toEqual(files);
  });

  it.each([
    ['empties', 19, 0],
    ['more than halves', 20, 9],
  ])(
    'refuses a listing that %s the collection, unless told otherwise',
    async (_, before, after) => {
      service.replace(makeArticles(before));
      await syncOnce();
      service.replace(makeArticles(before).slice(0, after));
      await expect(syncOnce()).rejects.toMatchObject({ code: 'mass-removal' });
      expect(await contents()).toHaveLength(before);
      await syncOnce({ allowEmpty: true });
      expect(await contents()).toHaveLength(after);
    },
  );

  it('refuses an empty listing even the first time', async () => {
    service.replace([]);
    await expect(syncOnce()).rejects.toMatchObject({ code: 'mass-removal' });
  });
});

describe('articles that cannot be used', () => {
  const good = makeArticles(5);
  const bad: FixtureArticle[] = [
    { id: 'number', title: 7, content: 'c', cover_image: null },
    { id: 'list', title: 't', content: ['c'], cover_image: { href: 'x' } },
  ];

  it('are all listed, with their fields, and nothing is changed', async () => {
    service.replace(good);
    await syncOnce();
    service.replace([...bad, ...good]);
    await expect(syncOnce()).rejects.toMatchObject({
      code: 'invalid-articles',
      problems: [
        { id: 'number', field: 'title' },
        { id: 'list', field: 'content' },
        { id: 'list', field: 'cover_image' },
      ],
    });
    expect(await contents()).toHaveLength(5);
  });

  it('keep their last good version when they may', async () => {
    service.replace([{ id: 'list', title: 'was', content: 'good', cover_image: null }, ...good]);
    await syncOnce();
    service.replace([...bad, ...good]);
    const { report } = await syncOnce({ onInvalid: 'keep' });
    expect(report.problems.map(({ id }) => id)).toEqual(['number', 'list', 'list']);
    expect(await contents()).toHaveLength(6);
    expect((await contents()).find(({ id }) => id === 'list')).toMatchObject({ title: 'was' });
  });

  it('include one that only the service cannot give, but not a service that gives none', async () => {
    service.replace(good);
    const broken = { kind: 'status', status: 500 } as const;
    const third = ({ id }: { id?: string }) => id === '3';
    const undo = service.fail({ on: third, times: Number.POSITIVE_INFINITY, fault: broken });
    await expect(syncOnce()).rejects.toMatchObject({ problems: [{ id: '3' }] });
    undo();

    service.replace(makeArticles(60));
    const undoAll = service.fail({ on: 'article', times: Number.POSITIVE_INFINITY, fault: broken });
    service.clearRequests();
    await expect(syncOnce()).rejects.toMatchObject({ code: 'unavailable', status: 500 });
    expect(service.count('article')).toBeLessThan(50);
    undoAll();
  });
});

describe('under changes and faults', () => {
  type Change = { kind: 'add' | 'change' | 'undo' | 'remove'; at: number };
  type Strike = { on: 'list' | 'article'; skip: number; times: number; fault: Fault };

  const change: fc.Arbitrary<Change> = fc.record({
    kind: fc.constantFrom('add', 'change', 'undo', 'remove'),
    at: fc.nat(40),
  });
  const strike: fc.Arbitrary<Strike> = fc.record({
    on: fc.constantFrom('list', 'article'),
    skip: fc.nat(6),
    times: fc.constantFrom(1, 2, 30),
    fault: fc.constantFrom<Fault[]>(
      { kind: 'status', status: 500 },
      { kind: 'status', status: 429 },
      { kind: 'status', status: 403 },
      { kind: 'close' },
      { kind: 'reset' },
      { kind: 'cut' },
      { kind: 'html' },
      { kind: 'empty' },
      { kind: 'gzipCut' },
    ),
  });
  const run = fc.record({
    changes: fc.array(change, { maxLength: 8 }),
    during: fc.array(fc.record({ request: fc.nat(12), change }), { maxLength: 3 }),
    strikes: fc.array(strike, { maxLength: 2 }),
    rows: fc.constantFrom('full' as const, 'summary' as const),
    count: fc.boolean(),
    trustList: fc.boolean(),
  });
  const originals = makeArticles(12);

  let serial = 0;
  function apply({ kind, at }: Change): void {
    const { articles } = service;
    const article: FixtureArticle | undefined = articles[at % Math.max(1, articles.length)];
    serial += 1;
    if (kind === 'add') {
      service.add({
        id: `n${serial}`,
        title: `T${serial}`,
        content: `c${serial}`,
        cover_image: null,
      });
    } else if (kind === 'change' && article) service.change(article.id, { content: `c${serial}` });
    else if (kind === 'undo' && article) {
      const original = originals.find(({ id }) => id === article.id);
      service.change(article.id, { content: original?.content ?? 'c' });
    } else if (kind === 'remove' && article && articles.length > 1) service.remove(article.id);
  }

  it('a quiet sync makes the mirror what the service is, and a failed one changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 4 }), async (runs) => {
        await rm(folder, { recursive: true, force: true });
        service.replace(originals);
        for (const { changes, during, strikes, rows, count, trustList } of runs) {
          const before = await contents();
          for (const each of changes) apply(each);
          Object.assign(service.options, { rows, count, maxLimit: 5 });
          let request = 0;
          service.beforeAnswer = () => {
            const now = request++;
            for (const each of during) if (each.request === now) apply(each.change);
          };
          const undo = strikes.map((rule) => service.fail(rule));
          const ended = await syncOnce({ allowEmpty: true, totalTimeout: 5_000, trustList }).then(
            () => 'well' as const,
            () => 'badly' as const,
          );
          if (ended === 'badly') expect(await contents()).toEqual(before);

          for (const each of undo) each();
          service.beforeAnswer = undefined;
          await syncOnce({ allowEmpty: true, trustList });
          expect(await contents()).toEqual(served());
        }
      }),
      { numRuns: 40 },
    );
  });
});
