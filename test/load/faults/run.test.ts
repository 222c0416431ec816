import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createArticlesClient } from '../../../src/client/index.ts';
import { filesBelow, filesOf } from '../../helpers/mirror-folder.ts';
import { setDate } from '../../helpers/time.ts';
import { key, status, useFaultSite } from './harness.ts';

// Row 62, a process that is killed at any time, is in ../crash.test.ts.

const site = useFaultSite();

describe('a call', () => {
  it.each([
    { kind: 'stall' },
    { kind: 'never' },
    status(500),
    status(429, { headers: { 'retry-after': '60' } }),
  ] as const)('that is aborted ends at once, during any fault: %j', async (fault) => {
    site.strike('any', fault);
    const client = createArticlesClient({ baseUrl: site.service.url, apiKey: key });
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('enough')), 30);
    await expect(client.survey({ signal: abort.signal })).rejects.toThrow('enough');
    const requests = site.service.count();
    await expect.poll(() => site.service.activeRequests).toBe(0);
    expect(site.service.count()).toBe(requests);
  });
});

describe('a load', () => {
  it('that cannot write names the path, and leaves no files', async () => {
    const mirror = await site.mirror();
    await rm(join(mirror, 'articles'), { recursive: true });
    await writeFile(join(mirror, 'articles'), 'a file where a folder should be');
    const before = await filesBelow(mirror);
    for (const onUnavailable of ['fail', 'keep'] as const) {
      const failure = await site.loadFails({ onUnavailable });
      expect(failure.name).toBe('ArticlesMirrorError');
      expect(failure.message).toContain(join(mirror, 'articles'));
      expect(await filesBelow(mirror)).toEqual(before);
    }
  });

  it('on a machine whose clock is wrong keeps its time limits', async () => {
    for (const difference of [-1e12, 1e12]) {
      setDate(() => Date.now() + difference);
      site.service.change(6, { content: `at ${difference}` });
      await site.loadExactly();
    }
  });
});

describe('covers', () => {
  it('are requested without the key', async () => {
    site.service.change(6, { cover_image: '/media/tides.jpg' });
    await site.loadExactly();
    const [cover] = site.service.requests.filter(({ kind }) => kind === 'media');
    expect(cover?.headers).toBeDefined();
    expect(JSON.stringify(cover?.headers)).not.toContain(key);
  });

  it('that several articles share are downloaded once, and stored once', async () => {
    for (const id of [6, 5, 4]) site.service.change(id, { cover_image: '/media/tides.jpg' });
    site.service.change(3, { cover_image: '/media/tides.jpg?copy' });
    await site.loadExactly();
    expect(site.service.count('media')).toBe(2);
    expect(await filesOf(await site.mirror(), 'images')).toHaveLength(1);
  });
});

describe('key and address', () => {
  it.each(['a\nb', 'two words', 'schlüssel', ''])(
    'the key %j is refused, and not repeated',
    (apiKey) => {
      const create = () => createArticlesClient({ baseUrl: site.service.url, apiKey });
      expect(create).toThrow(expect.objectContaining({ code: 'key-malformed' }));
      if (apiKey) expect(create).not.toThrow(new RegExp(apiKey));
    },
  );

  it('a load refuses such a key before any request', async () => {
    for (const apiKey of ['two words', 'line\nbreak', 'schlüssel', '\u200bkey']) {
      const failure = await site.loadFails({ apiKey });
      expect(failure).toMatchObject({ code: 'key-malformed' });
      expect(`${failure.message}${failure.hint}`).not.toContain(apiKey);
    }
    expect(site.service.count()).toBe(0);
  });

  it('the key is in no message, even if a response repeats it', async () => {
    const echo = JSON.stringify({ detail: `bad key ${key}` });
    site.strike('list', status(400, { body: echo }), 1);
    expect((await site.loadFails()).message).toContain('bad key [the API key]');

    // A fetch whose errors contain the whole request, like those of some libraries.
    const telling = async (_: string, init: RequestInit) => {
      throw Object.assign(new Error(`failed: ${JSON.stringify(init)}`), { config: init });
    };
    const failure = await site.loadFails({ fetch: telling });
    expect(failure).toMatchObject({ code: 'network' });
    for (let error: unknown = failure; error instanceof Error; error = error.cause) {
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(key);
    }
    for (const file of await filesBelow(site.root)) {
      expect(await readFile(join(site.root, file), 'latin1')).not.toContain(key);
    }
  });

  it.each(['', '/', '/sub', '/sub/', '/a/b/'])('below a base with the path %j', async (path) => {
    site.service.options.basePath = path.replace(/\/$/, '');
    const baseUrl = `${site.service.origin}${path}`;
    const client = createArticlesClient({ baseUrl, apiKey: key });
    expect((await client.listPage()).rows).toHaveLength(6);
    expect((await client.getArticle('6'))?.id).toBe('6');
  });

  it.each([
    'http://app.example.com',
    'https://a:b@app.example.com',
    'https://app.example.com/?a',
    'ftp://x',
  ])('%s is refused', (baseUrl) => {
    const create = () => createArticlesClient({ baseUrl, apiKey: key });
    expect(create).toThrow(expect.objectContaining({ code: 'invalid-options' }));
  });
});
