import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../../fixtures/listen.ts';
import type { Fault } from '../../../fixtures/service.ts';
import { key, patience, status, useFaultSite } from './harness.ts';

const site = useFaultSite();

beforeEach(() => {
  site.service.change(1, { cover_image: '/media/pause.gif' });
});

const body = (text: string | Buffer): Fault => ({ kind: 'body', body: text });
const raw = (text: string): Fault => ({ kind: 'raw', bytes: text });

/** Faults of the listing, and the code of the error. */
const faults: [Fault, string][] = [
  [{ kind: 'close' }, 'network'],
  [{ kind: 'reset' }, 'network'],
  [{ kind: 'cut' }, 'network'],
  [{ kind: 'cut', chunked: true }, 'network'],
  [{ kind: 'cut', closeDelimited: true }, 'bad-json'],
  [{ kind: 'slowHeaders' }, 'timeout'],
  [{ kind: 'drip' }, 'timeout'],
  [raw('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n{"results":[]}'), 'bad-json'],
  [raw('hello there\r\n\r\n'), 'protocol'],
  [{ kind: 'gzipCut' }, 'bad-json'],
  [{ kind: 'gzipCorrupt' }, 'network'],
  [{ kind: 'html' }, 'not-json'],
  [{ kind: 'empty' }, 'bad-json'],
  [{ kind: 'redirect', location: '?again' }, 'redirect'],
  [{ kind: 'redirect', location: 'https://elsewhere.example/' }, 'redirect'],
  [{ kind: 'redirect', location: 'javascript:1' }, 'redirect'],
  [status(206), 'unexpected-status'],
  [status(400), 'refused'],
  [status(401), 'unauthorized'],
  [status(404), 'not-found'],
  [status(429), 'throttled'],
  [status(429, { headers: { 'retry-after': '86400' } }), 'throttled'],
  [status(500), 'server-error'],
  [body('{"results": [NaN]}'), 'bad-json'],
  [body(`${'{"x":'.repeat(100_000)}1${'}'.repeat(100_000)}`), 'unexpected-shape'],
  [body('{"detail":"no"}'), 'unexpected-shape'],
  [body('{"results":[{"id":6}],"count":9}'), 'listing-unusable'],
  [body('{"results":[],"count":0,"next":null}'), 'mass-removal'],
];
const noRetry = { retries: 0 };

describe('a load that fails', () => {
  it.each(faults)(
    'leaves mirror and store unchanged, also as a warning without `service` in `failOn` (%o)',
    async (fault, code) => {
      site.strike('list', fault);
      const options = { ...noRetry, ...patience(fault) };
      const failure = await site.loadFails(options);
      expect(failure).toMatchObject({ code });
      expect(failure.hint).toContain('collection "articles"');
      expect(failure.stack).toContain('\n    at ');
      const before = await site.state();
      const kept = await site.load({ failOn: ['articles'], ...options });
      expect(kept.failure).toBeUndefined();
      expect(kept.warnings).toEqual([expect.stringMatching(/^Using articles from .* GMT/)]);
      expect(await site.state()).toEqual(before);
    },
  );

  it('reports whether there is a mirror to build from', async () => {
    const { port, close } = await listen(createServer(), { port: 0, host: '127.0.0.1' });
    await close();
    const failure = await site.loadFails({ baseUrl: `http://127.0.0.1:${port}`, ...noRetry });
    expect(failure).toMatchObject({ code: 'network' });
    // The site is not built from the mirror of another service.
    expect(failure.hint).not.toContain('failOn');

    site.strike('list', { kind: 'close' });
    const known = await site.loadFails(noRetry);
    expect(known.hint).toContain("Without `'service'` in `failOn`");
  });
});

describe('the key', () => {
  it('is in no log line, error, file or entry after any failure', async () => {
    const echo = JSON.stringify({ detail: `${key} ${encodeURIComponent(key)} ${btoa(key)}` });
    const texts: string[] = [];
    for (const [fault] of faults) {
      site.strike('list', fault, 1);
      const { log, failure } = await site.load({ ...noRetry, ...patience(fault) });
      texts.push(log, String(failure?.stack));
    }
    for (const code of [400, 401, 403, 404, 418, 500]) {
      site.strike('any', status(code, { body: echo }), 1);
      const { log, failure } = await site.load({ failOn: ['articles'] });
      texts.push(log, String(failure?.stack));
    }
    // A fetch whose errors contain the whole request, like those of some libraries.
    const telling = async (_: string, init: RequestInit) => {
      throw Object.assign(new Error(`failed: ${JSON.stringify(init)}`), { config: init });
    };
    const telltale = await site.loadFails({ fetch: telling });
    expect(telltale).toMatchObject({ code: 'network' });
    for (let error: unknown = telltale; error instanceof Error; error = error.cause) {
      texts.push(JSON.stringify(error, Object.getOwnPropertyNames(error)));
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
