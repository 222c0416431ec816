import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../../fixtures/service.ts';
import type { ArticlesOptions } from '../../../src/options/options.ts';
import { always, key, rewritePage, status, useFaultSite } from './harness.ts';

const site = useFaultSite();

beforeEach(() => {
  site.service.change(1, { cover_image: '/media/pause.gif' });
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

const body = (text: string | Buffer): Fault => ({ kind: 'body', body: text });
const raw = (text: string): Fault => ({ kind: 'raw', bytes: text });
const elsewhere = 'https://elsewhere.example/';

/** The row of the fault matrix, the requests that fail, the fault, and the code of the error. */
const faults: [number, 'list' | 'article', Fault, string][] = [
  [6, 'list', { kind: 'close' }, 'network'],
  [7, 'list', { kind: 'reset' }, 'network'],
  [8, 'list', { kind: 'cut' }, 'network'],
  [8, 'article', { kind: 'cut' }, 'invalid-articles'],
  [9, 'list', { kind: 'cut', chunked: true }, 'network'],
  [10, 'list', { kind: 'cut', closeDelimited: true }, 'bad-json'],
  [12, 'list', { kind: 'slowHeaders' }, 'timeout'],
  [13, 'article', { kind: 'stall' }, 'invalid-articles'],
  [14, 'list', { kind: 'drip' }, 'timeout'],
  [15, 'list', raw('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n{"results":[]}'), 'bad-json'],
  [16, 'list', raw('hello there\r\n\r\n'), 'protocol'],
  [17, 'list', { kind: 'gzipCut' }, 'bad-json'],
  [18, 'list', { kind: 'gzipCorrupt' }, 'network'],
  [19, 'article', { kind: 'gzipBomb', size: 20_000_000 }, 'invalid-articles'],
  [20, 'article', { kind: 'huge' }, 'invalid-articles'],
  [21, 'list', { kind: 'html' }, 'not-json'],
  [22, 'list', { kind: 'empty' }, 'empty-body'],
  [22, 'article', status(204), 'invalid-articles'],
  [23, 'list', status(206), 'unexpected-status'],
  [24, 'list', status(304), 'unexpected-status'],
  [27, 'list', { kind: 'redirect', location: '?again' }, 'redirect'],
  [28, 'list', { kind: 'redirect', location: elsewhere }, 'redirect'],
  [28, 'article', { kind: 'redirect', location: elsewhere }, 'invalid-articles'],
  [30, 'list', { kind: 'redirect', location: 'javascript:1' }, 'redirect'],
  [32, 'list', status(400), 'refused'],
  [33, 'list', status(401), 'unauthorized'],
  [34, 'article', status(403), 'invalid-articles'],
  [35, 'list', status(404), 'not-found'],
  [37, 'list', status(409), 'refused'],
  [38, 'list', status(414), 'refused'],
  [39, 'list', status(429), 'throttled'],
  [41, 'list', status(429, { headers: { 'retry-after': '86400' } }), 'throttled'],
  [43, 'list', status(500), 'server-error'],
  [44, 'article', status(500), 'invalid-articles'],
  [45, 'list', status(501), 'server-error'],
  [47, 'list', body('{"results": [NaN]}'), 'bad-json'],
  [48, 'article', body(Buffer.from('{"title":"é"}', 'latin1')), 'invalid-articles'],
  [49, 'list', body('['.repeat(100_000) + ']'.repeat(100_000)), 'invalid-articles'],
  [49, 'list', body(`${'{"x":'.repeat(100_000)}1${'}'.repeat(100_000)}`), 'unexpected-shape'],
  [52, 'list', body('{"detail":"no"}'), 'unexpected-shape'],
  [53, 'list', body('{"results":[null],"count":1,"next":null}'), 'invalid-articles'],
  [54, 'article', body('{"id":6,"title":7,"content":"c"}'), 'invalid-articles'],
  [56, 'list', body('{"results":[{"id":".."}],"count":1,"next":null}'), 'invalid-articles'],
  [57, 'list', body('{"results":[{"id":1},{"id":"1"}]}'), 'id-clash'],
  [58, 'article', body('{"id":5,"title":"t","content":"c"}'), 'invalid-articles'],
  [60, 'list', body('{"results":[{"id":6}],"count":9}'), 'offset-ignored'],
  [61, 'list', body('{"results":[],"count":0,"next":null}'), 'mass-removal'],
];

/** A short time limit for responses that never end, and a long one for all others, for slow machines. */
function patience({ kind }: Fault): ArticlesOptions {
  const isEndless = ['slowHeaders', 'stall', 'drip'].includes(kind);
  return { retry: { limit: 0 }, ...(isEndless ? { timeout: 2_000 } : {}) };
}

describe('a load that fails', () => {
  it.each(faults)(
    'row %i: in the %s leaves mirror and store unchanged (%o)',
    async (_, on, fault, code) => {
      site.strike(on, fault);
      const failure = await site.loadFails(patience(fault));
      expect(failure).toMatchObject({ code });
      expect(failure.hint).toContain('collection "articles"');
      expect(failure.stack).toContain('\n    at ');
    },
  );

  it('row 1: reports whether there is a mirror to build from', async () => {
    const elsewhere = `http://127.0.0.1:${await closedPort()}`;
    const failure = await site.loadFails({ baseUrl: elsewhere, retry: { limit: 0 } });
    expect(failure).toMatchObject({ code: 'network' });
    // The site is not built from the mirror of another service.
    expect(failure.hint).not.toContain('onUnavailable');

    site.strike('list', { kind: 'close' });
    const known = await site.loadFails({ retry: { limit: 0 } });
    expect(known.hint).toContain('`onUnavailable: "keep"`');
  });

  const serviceFaults = faults.filter(([, , , code]) => code !== 'invalid-articles');
  it.each(serviceFaults)(
    'row %i: in the %s is a warning with `onUnavailable: "keep"` (%o)',
    async (_, on, fault) => {
      site.strike(on, fault);
      const before = await site.state();
      const { failure, warnings } = await site.load({ onUnavailable: 'keep', ...patience(fault) });
      expect(failure).toBeUndefined();
      expect(warnings).toEqual([expect.stringMatching(/^Using articles from \d+ minutes? ago/)]);
      expect(await site.state()).toEqual(before);
    },
  );

  it('row 43: in dev is only a warning, even without any article', async () => {
    site.strike('any', status(500));
    await rm(join(site.root, 'cache'), { recursive: true });
    const { failure, entries, warnings } = await site.load({}, { command: 'dev' });
    expect(failure).toBeUndefined();
    expect(entries.size).toBe(0);
    expect(warnings).toEqual([expect.stringContaining('There are no articles yet')]);
  });

  it('row 43: without a mirror fails a build, also with `onUnavailable: "keep"`', async () => {
    site.strike('any', status(500));
    await rm(join(site.root, 'cache'), { recursive: true });
    expect(await site.loadFails({ onUnavailable: 'keep' })).toMatchObject({ code: 'server-error' });
  });
});

describe('one article that fails', () => {
  it.each([
    [44, status(500), '500'],
    [54, body('{"id":6,"title":["t"],"content":"c"}'), 'title'],
    [58, body('{"id":1,"title":"t","content":"c"}'), '"1"'],
  ] as const)(
    'row %i: keeps its last version, and the others are loaded',
    async (_, fault, reason) => {
      site.service.change(5, { title: 'New title' });
      site.strike(({ id }) => id === '6', fault);
      const { failure, entries, warnings } = await site.load({ onInvalid: 'keep' });
      expect(failure).toBeUndefined();
      expect(entries.get('6')).toBeDefined();
      expect(entries.get('6')?.body).not.toBe('changed since');
      expect(entries.get('5')?.data).toMatchObject({ title: 'New title' });
      expect(entries.size).toBe(6);
      const [warning, ...others] = warnings;
      expect(warning).toContain('article "6"');
      expect(warning).toContain(reason);
      expect(others).toEqual([]);
    },
  );

  it('row 36: is not removed when the service responds 404 for all of them', async () => {
    for (const { id } of site.service.articles) site.service.change(id, { content: 'changed' });
    site.strike('article', status(404));
    expect((await site.loadFails()).problems).toHaveLength(6);
    const { entries } = await site.load({ onInvalid: 'keep' });
    expect(entries.size).toBe(6);
  });

  it('row 53: because its row is not an article is a warning, and removes nothing', async () => {
    site.strike(
      'list',
      rewritePage(() => ({ count: 2, next: null, results: [null, site.service.articles[0]] })),
    );
    const { failure, entries, warnings } = await site.load({ onInvalid: 'keep' });
    expect(failure).toBeUndefined();
    expect(entries.size).toBe(6);
    expect(warnings.join('\n')).toContain('(row 1 of the listing)');
    expect(warnings.join('\n')).toContain('No articles were removed');
  });
});

describe('a load that succeeds', () => {
  it('row 8: after a truncated response is complete', async () => {
    site.strike('any', { kind: 'cut' }, 1);
    const { context } = await site.loadExactly({ retry: { limit: 1 } });
    const disturbed = context.storeText();
    await rm(join(site.root, 'cache'), { recursive: true });
    expect((await site.loadExactly()).context.storeText()).toBe(disturbed);
  });

  it('row 25: requests only the listing when nothing has changed, and changes nothing', async () => {
    await site.loadExactly();
    site.service.clearRequests();
    const before = await site.state();
    const { log } = await site.loadExactly();
    expect(site.service.requests.map(({ kind }) => kind)).toEqual(['list']);
    expect(await site.state()).toEqual(before);
    expect(log).toContain('0 added, 0 updated, 6 unchanged, 0 removed');
  });

  it('row 51: stores no key that reaches a prototype', async () => {
    const keys = '"__proto__":{"slug":"x"},"constructor":{"prototype":{"polluted":1}}';
    site.strike(
      ({ id }) => id === '6',
      body(`{"id":6,"title":"t","content":"c","cover_image":null,${keys}}`),
      always,
    );
    const { entries, context } = await site.load();
    expect(entries.get('6')?.data).toMatchObject({ title: 't', slug: 't-6' });
    expect(context.storeText()).not.toMatch(/__proto__|polluted/);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('the key', () => {
  it('row 82: is in no log line, error, file or entry after any failure', async () => {
    const echo = JSON.stringify({ detail: `${key} ${encodeURIComponent(key)} ${btoa(key)}` });
    const texts: string[] = [];
    for (const [, on, fault] of faults.slice(0, 12)) {
      site.strike(on, fault, 1);
      const { log, failure } = await site.load(patience(fault));
      texts.push(log, String(failure?.stack));
    }
    for (const code of [400, 401, 403, 404, 418, 500]) {
      site.strike('any', status(code, { body: echo }), 1);
      const { log, failure } = await site.load({ onUnavailable: 'keep' });
      texts.push(log, String(failure?.stack));
    }
    const { context, log } = await site.load();
    texts.push(context.storeText(), log);
    const files = await readdir(site.root, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      texts.push(file.name, await readFile(join(file.parentPath, file.name), 'latin1'));
    }
    expect(texts.length).toBeGreaterThan(40);
    for (const form of [key, btoa(key), encodeURIComponent(key)]) {
      expect(texts.filter((text) => text.includes(form))).toEqual([]);
    }
  });
});
