import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import type { ListedArticle } from '../../src/client/index.ts';
import { InvalidArticlesError } from '../../src/errors.ts';
import { createIntake, type Prepare } from '../../src/mirror/intake.ts';
import { prepareSync } from '../helpers/sync.ts';

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
const listed = (content: string): ListedArticle => ({
  id: '1',
  idType: 'number',
  article: { ...plain, id: '1', content, extra: {} },
});

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
  await intake.rows([listed('first')]);
  await first.promise;
  await intake.rows([listed('second')]);
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

it('what was wrong with an earlier version is forgotten', async () => {
  const { content, problems } = await takeTwice(async () => {
    throw new InvalidArticlesError([{ id: '1', field: 'content', reason: 'too long' }]);
  });
  expect(content).toBe('second');
  expect(problems).toEqual([]);
});
