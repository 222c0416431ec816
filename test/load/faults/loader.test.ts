import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../../fixtures/service.ts';
import type { ArticlesOptions } from '../../../src/options/options.ts';
import { key, status, useFaultSite } from './harness.ts';

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

/** The requests that fail, the fault, and the code of the error. */
const faults: ['list' | 'article', Fault, string][] = [
  ['list', { kind: 'close' }, 'network'],
  ['list', { kind: 'reset' }, 'network'],
  ['list', { kind: 'cut' }, 'network'],
  ['article', { kind: 'cut' }, 'invalid-articles'],
  ['list', { kind: 'cut', chunked: true }, 'network'],
  ['list', { kind: 'cut', closeDelimited: true }, 'bad-json'],
  ['list', { kind: 'slowHeaders' }, 'timeout'],
  ['article', { kind: 'stall' }, 'invalid-articles'],
  ['list', { kind: 'drip' }, 'timeout'],
  ['list', raw('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n{"results":[]}'), 'bad-json'],
  ['list', raw('hello there\r\n\r\n'), 'protocol'],
  ['list', { kind: 'gzipCut' }, 'bad-json'],
  ['list', { kind: 'gzipCorrupt' }, 'network'],
  ['article', { kind: 'gzipBomb', size: 20_000_000 }, 'invalid-articles'],
  ['article', { kind: 'huge' }, 'invalid-articles'],
  ['list', { kind: 'html' }, 'not-json'],
  ['list', { kind: 'empty' }, 'bad-json'],
  ['article', status(204), 'invalid-articles'],
  ['list', status(206), 'unexpected-status'],
  ['list', status(304), 'unexpected-status'],
  ['list', { kind: 'redirect', location: '?again' }, 'redirect'],
  ['list', { kind: 'redirect', location: elsewhere }, 'redirect'],
  ['article', { kind: 'redirect', location: elsewhere }, 'invalid-articles'],
  ['list', { kind: 'redirect', location: 'javascript:1' }, 'redirect'],
  ['list', status(400), 'refused'],
  ['list', status(401), 'unauthorized'],
  ['article', status(403), 'invalid-articles'],
  ['list', status(404), 'not-found'],
  ['list', status(409), 'refused'],
  ['list', status(414), 'refused'],
  ['list', status(429), 'throttled'],
  ['list', status(429, { headers: { 'retry-after': '86400' } }), 'throttled'],
  ['list', status(500), 'server-error'],
  ['article', status(500), 'invalid-articles'],
  ['list', status(501), 'server-error'],
  ['list', body('{"results": [NaN]}'), 'bad-json'],
  ['article', body(Buffer.from('{"title":"é"}', 'latin1')), 'invalid-articles'],
  ['list', body('['.repeat(100_000) + ']'.repeat(100_000)), 'invalid-articles'],
  ['list', body(`${'{"x":'.repeat(100_000)}1${'}'.repeat(100_000)}`), 'unexpected-shape'],
  ['list', body('{"detail":"no"}'), 'unexpected-shape'],
  ['list', body('{"results":[null],"count":1,"next":null}'), 'invalid-articles'],
  ['article', body('{"id":6,"title":7,"content":"c"}'), 'invalid-articles'],
  ['list', body('{"results":[{"id":".."}],"count":1,"next":null}'), 'invalid-articles'],
  ['list', body('{"results":[{"id":1},{"id":"1"}]}'), 'listing-unusable'],
  ['article', body('{"id":5,"title":"t","content":"c"}'), 'invalid-articles'],
  ['list', body('{"results":[{"id":6}],"count":9}'), 'listing-unusable'],
  ['list', body('{"results":[],"count":0,"next":null}'), 'mass-removal'],
];

/** A short time limit for responses that never end, and a long one for all others, for slow machines. */
function patience({ kind }: Fault): ArticlesOptions {
  const isEndless = ['slowHeaders', 'stall', 'drip'].includes(kind);
  return { retry: { limit: 0 }, ...(isEndless ? { timeout: 2_000 } : {}) };
}

describe('a load that fails', () => {
  it.each(faults)('in the %s leaves mirror and store unchanged (%o)', async (on, fault, code) => {
    site.strike(on, fault);
    const failure = await site.loadFails(patience(fault));
    expect(failure).toMatchObject({ code });
    expect(failure.hint).toContain('collection "articles"');
    expect(failure.stack).toContain('\n    at ');
  });

  it('reports whether there is a mirror to build from', async () => {
    const elsewhere = `http://127.0.0.1:${await closedPort()}`;
    const failure = await site.loadFails({ baseUrl: elsewhere, retry: { limit: 0 } });
    expect(failure).toMatchObject({ code: 'network' });
    // The site is not built from the mirror of another service.
    expect(failure.hint).not.toContain('onUnavailable');

    site.strike('list', { kind: 'close' });
    const known = await site.loadFails({ retry: { limit: 0 } });
    expect(known.hint).toContain('`onUnavailable: "keep"`');
  });

  const serviceFaults = faults.filter(([, , code]) => code !== 'invalid-articles');
  it.each(serviceFaults)(
    'in the %s is a warning with `onUnavailable: "keep"` (%o)',
    async (on, fault) => {
      site.strike(on, fault);
      const before = await site.state();
      const { failure, warnings } = await site.load({ onUnavailable: 'keep', ...patience(fault) });
      expect(failure).toBeUndefined();
      expect(warnings).toEqual([
        expect.stringMatching(/^Using articles from less than a minute ago/),
      ]);
      expect(await site.state()).toEqual(before);
    },
  );
});

describe('a load that succeeds', () => {
  it('after a truncated response is complete', async () => {
    site.strike('any', { kind: 'cut' }, 1);
    const { context } = await site.loadExactly({ retry: { limit: 1 } });
    const disturbed = context.storeText();
    await rm(join(site.root, 'cache'), { recursive: true });
    expect((await site.loadExactly()).context.storeText()).toBe(disturbed);
  });
});

describe('the key', () => {
  it('is in no log line, error, file or entry after any failure', async () => {
    const echo = JSON.stringify({ detail: `${key} ${encodeURIComponent(key)} ${btoa(key)}` });
    const texts: string[] = [];
    for (const [on, fault] of faults.slice(0, 12)) {
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
