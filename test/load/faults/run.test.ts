import { spawn } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import { createArticlesClient } from '../../../src/client/index.ts';
import { createHastyClock, mirrored, snapshot } from '../../helpers/sync.ts';
import { always, key, useFaultBench } from './harness.ts';

const bench = useFaultBench();
const program = fileURLToPath(new URL('./sync-program.ts', import.meta.url));

/** Syncs in a process of its own, which is killed after that many ms. */
function syncAndKill(delay: number): Promise<void> {
  const { url } = bench.service;
  const child = spawn(process.execPath, [program, bench.folder, url, key], { stdio: 'ignore' });
  const timer = setTimeout(() => child.kill('SIGKILL'), delay);
  return new Promise((resolve) => {
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

describe('a process', () => {
  it('row 62: that is killed at any moment leaves what was there, or what was to be, and the next one ends right', async () => {
    bench.service.replace(makeArticles(120));
    bench.service.options.latency = 2;
    await bench.sync();
    for (let round = 0; round < 20; round++) {
      const before = await mirrored(bench.folder, bench.service.url);
      for (const { id } of bench.service.articles) {
        bench.service.change(id, {
          content: `of round ${round}: ${'x'.repeat((round * 37) % 500)}`,
        });
      }
      await syncAndKill(150 + Math.random() * 350);
      const after = await mirrored(bench.folder, bench.service.url);
      const whole = after.every(({ content }) => String(content).startsWith(`of round ${round}:`));
      if (!whole) expect(after).toEqual(before);
    }
    await bench.succeeds();
    bench.service.options.latency = 0;
  });

  it('row 63: that is aborted ends at once, wherever it is, and asks nothing more', async () => {
    for (const fault of [
      { kind: 'stall' },
      { kind: 'never' },
      { kind: 'status', status: 500 },
    ] as const) {
      bench.strike('any', fault, always);
      const abort = new AbortController();
      const clock = {
        ...createHastyClock(),
        after: (delay: number, callback: () => void) => {
          const timer = setTimeout(callback, Math.max(delay, 5_000));
          return () => clearTimeout(timer);
        },
      };
      setTimeout(() => abort.abort(new Error('enough')), 60);
      const before = await snapshot(bench.folder);
      await expect(bench.sync({ timeout: 5_000 }, { signal: abort.signal, clock })).rejects.toThrow(
        'enough',
      );
      const asked = bench.service.count();
      await expect.poll(() => bench.service.activeRequests).toBe(0);
      expect(bench.service.count()).toBe(asked);
      expect(await snapshot(bench.folder)).toBe(before);
    }
  });

  it('row 64: that cannot write says where, and leaves nothing behind', async () => {
    const articles = join(bench.folder, 'articles');
    await rm(articles, { recursive: true });
    await writeFile(articles, 'a file where a folder ought to be');
    const error = await bench.fails();
    expect(error).toMatchObject({ code: 'mirror-unwritable' });
    expect(error.message).toContain(articles);
    expect((await readdir(bench.folder)).toSorted()).toEqual(['articles', 'index.json']);
  });

  it('row 65: whose clock jumps keeps its time limits', async () => {
    const clock = { ...createHastyClock(), date: () => Math.random() * 4e12 };
    const { report } = await bench.sync({}, { clock });
    expect(report.traffic.requests).toBe(2);
  });
});

describe('covers', () => {
  it('row 79: are asked for without the key', async () => {
    bench.service.change(6, { cover_image: '/media/tides.jpg' });
    await bench.succeeds();
    const [cover] = bench.service.requests.filter(({ kind }) => kind === 'media');
    expect(cover?.headers).toBeDefined();
    expect(JSON.stringify(cover?.headers)).not.toContain(key);
  });

  it('row 80: that several articles share are downloaded once, and named by what they hold', async () => {
    for (const id of [6, 5, 4]) bench.service.change(id, { cover_image: '/media/tides.jpg' });
    bench.service.change(3, { cover_image: '/media/tides.jpg?copy' });
    const { mirror } = await bench.succeeds();
    expect(bench.service.count('media')).toBe(2);
    expect(await readdir(mirror.imageFolder)).toHaveLength(1);
  });
});

describe('key and address', () => {
  it.each(['a\nb', 'two words', 'schlüssel', ''])(
    'row 81: the key %j is refused, and not repeated',
    (apiKey) => {
      const create = () => createArticlesClient({ baseUrl: bench.service.url, apiKey });
      expect(create).toThrow(expect.objectContaining({ code: 'key-malformed' }));
      if (apiKey) expect(create).not.toThrow(new RegExp(apiKey));
    },
  );

  it('row 82: the key is in no message, whoever throws it back', async () => {
    const echo = JSON.stringify({ detail: `bad key ${key}` });
    bench.strike('list', { kind: 'status', status: 400, body: echo });
    expect((await bench.fails()).message).toContain('bad key [the API key]');

    // A fetch that puts the whole request into its errors, as some libraries do.
    const telling = async (_: string, init: RequestInit) => {
      throw Object.assign(new Error(`failed: ${JSON.stringify(init)}`), { config: init });
    };
    const error = await bench.fails({ fetch: telling });
    expect(error).toMatchObject({ code: 'network' });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(key);
    expect(error.cause).toBeUndefined();
    expect(await snapshot(bench.folder)).not.toContain(key);
  });

  it.each(['', '/', '/sub', '/sub/', '/a/b/'])(
    'row 83: a base with the path %j is asked below it',
    async (path) => {
      bench.service.options.basePath = path.replace(/\/$/, '');
      const baseUrl = `${bench.service.origin}${path}`;
      const client = createArticlesClient({ baseUrl, apiKey: key });
      expect((await client.listPage()).rows).toHaveLength(6);
      expect((await client.getArticle('6'))?.id).toBe('6');
      bench.service.options.basePath = '';
    },
  );

  it.each([
    'http://app.example.com',
    'https://a:b@app.example.com',
    'https://app.example.com/?a',
    'ftp://x',
  ])('row 83: %s is refused', (baseUrl) => {
    const create = () => createArticlesClient({ baseUrl, apiKey: key });
    expect(create).toThrow(expect.objectContaining({ code: 'invalid-options' }));
  });
});
