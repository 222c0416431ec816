import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FixtureService, startService } from '../../../fixtures/service.ts';
import type { Article } from '../../../src/client/index.ts';
import { InvalidArticlesError } from '../../../src/errors.ts';
import {
  createIntake,
  type Intake,
  type Prepare,
  type SyncProgress,
} from '../../../src/sync/fetch-articles.ts';
import { prepareSync, syncOnce } from '../../helpers/sync.ts';

let service: FixtureService;
let folder: string;

beforeEach(async () => {
  service = await startService({ articles: [{ ...plain, id: 1, content: 'first' }] });
  folder = await mkdtemp(join(tmpdir(), 'intake-'));
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const plain = { title: 't', cover_image: null };
const listed = (content: string, id = '1'): Article => ({ ...plain, id, content, extra: {} });

/** Gives rows as a client does. */
const takeRows = (intake: Intake, articles: Article[]) =>
  intake.rows(
    articles
      .map((article) => intake.take({ read: () => ({ id: article.id, idType: 'text', article }) }))
      .filter((row) => 'id' in row),
  );

/** Takes two versions of an article, one after the other, and lets the first come last. */
async function takeTwice(onArticle: Prepare) {
  const { client, mirror } = await prepareSync(folder, {
    baseUrl: service.url,
    apiKey: service.apiKey,
  });
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let calls = 0;
  const intake = createIntake({
    client,
    mirror,
    before: new Map(),
    trustList: true,
    concurrency: 2,
    deadline: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
    onFatal: (error) => expect.fail(String(error)),
    async onArticle(article, stored) {
      calls += 1;
      if (calls === 1) {
        first.resolve();
        await second.promise;
        return onArticle(article, stored);
      }
      // Once this one has been taken in.
      setImmediate(second.resolve);
      return undefined;
    },
  });
  await takeRows(intake, [listed('first')]);
  await first.promise;
  await takeRows(intake, [listed('second')]);
  const harvest = await intake.finish();
  const object = harvest.articles.get('1')?.object ?? '';
  return { ...harvest, content: (await mirror.readArticle(object)).content, calls };
}

it('the last version that was listed counts, whichever is ready first', async () => {
  const { content, problems, calls } = await takeTwice(async () => undefined);
  expect(calls).toBe(2);
  expect(content).toBe('second');
  expect(problems).toEqual([]);
});

it('a version that waits is not asked for once there is another', async () => {
  const ids = ['1', '2', '3', '4', '5'];
  service.replace(ids.map((id) => ({ ...plain, id, content: 'second' })));
  const { client, mirror } = await prepareSync(folder, {
    baseUrl: service.url,
    apiKey: service.apiKey,
  });
  let last: SyncProgress | undefined;
  const intake = createIntake({
    client,
    mirror,
    before: new Map(),
    trustList: false,
    concurrency: 1,
    deadline: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
    onArticle: async () => undefined,
    onFatal: (error) => expect.fail(String(error)),
    onProgress: (progress) => {
      last = { ...progress };
    },
  });
  await takeRows(
    intake,
    ids.map((id) => listed('first', id)),
  );
  await takeRows(
    intake,
    ids.map((id) => listed('second', id)),
  );
  const { articles, problems } = await intake.finish();
  expect([...articles.keys()].toSorted()).toEqual(ids);
  expect(problems).toEqual([]);
  // Two are under way from the start: one more than there may be requests.
  expect(service.count('article')).toBe(2 + 5);
  expect(last).toEqual({ listed: 5, toFetch: 2 + 5, fetched: 2 + 5 });
});

it('what was wrong with an earlier version is forgotten', async () => {
  const { content, problems } = await takeTwice(async () => {
    throw new InvalidArticlesError([{ id: '1', field: 'content', reason: 'too long' }]);
  });
  expect(content).toBe('second');
  expect(problems).toEqual([]);
});

it.each([
  [true, 0],
  [false, 2],
])(
  'two walks that differ leave the word to the article (rows trusted: %s)',
  async (trustList, requests) => {
    const options = { baseUrl: service.url, apiKey: service.apiKey, trustList };
    const { client, mirror } = await syncOnce(folder, options);
    const [known] = mirror.index.articles;
    if (!known) throw new Error('no article');
    const intake = createIntake({
      client,
      mirror,
      before: new Map([[known.id, known]]),
      trustList,
      concurrency: 2,
      deadline: Number.POSITIVE_INFINITY,
      signal: new AbortController().signal,
      onArticle: async () => undefined,
      onFatal: (error) => expect.fail(String(error)),
    });
    service.clearRequests();
    const json = new TextEncoder().encode(JSON.stringify(service.articles[0]));
    const back = intake.take({ json, read: () => expect.fail('it is known') });
    await takeRows(intake, [listed('second')]);
    await intake.rows('id' in back ? [back] : []);
    const { articles } = await intake.finish();
    expect(articles.get('1')).toEqual(known);
    expect(service.count('article')).toBe(requests);
  },
);
