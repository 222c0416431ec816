import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../fixtures/service.ts';
import { createArticlesClient } from '../../../src/client/index.ts';
import { key, useFaultSite } from './harness.ts';

const site = useFaultSite();

function listen(server: Server, host?: string): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Requests a page of another service than the fixture. */
async function request(
  baseUrl: string,
  fetch?: Parameters<typeof createArticlesClient>[0]['fetch'],
) {
  const client = createArticlesClient({ baseUrl, apiKey: key, timeout: 60_000, fetch });
  const error = await client.listPage().then(
    () => undefined,
    (reason) => reason,
  );
  return { error, requests: client.traffic().requests };
}

describe('connections', () => {
  it('a closed port is tried five times, and named', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    server.close();
    const { error, requests } = await request(`http://127.0.0.1:${port}`);
    expect(error).toMatchObject({ code: 'network', attempts: 5 });
    expect(error.message).toContain(`127.0.0.1:${port}`);
    expect(requests).toBe(5);
  });

  it('a name that does not resolve is tried three times, and named', async () => {
    const { error, requests } = await request('https://articles.invalid');
    expect(error).toMatchObject({ code: expect.stringMatching(/^(dns|network)$/) });
    expect(error.message).toContain('articles.invalid');
    expect(requests).toBeGreaterThanOrEqual(3);
  });

  it('a service on IPv4 only is reached by a name that has both', async () => {
    const baseUrl = site.service.url.replace('127.0.0.1', 'localhost');
    const client = createArticlesClient({ baseUrl, apiKey: key });
    expect((await client.listPage()).rows).toHaveLength(6);
  });

  it('https on an http port is an error of the configuration', async () => {
    const { error, requests } = await request(site.service.url.replace('http:', 'https:'));
    expect(error).toMatchObject({ code: 'protocol' });
    expect(error.hint).toContain('scheme and port');
    expect(requests).toBe(2);
  });
});

const faults: [string, Fault, number][] = [
  ['is closed at once', { kind: 'close' }, 5],
  ['is reset', { kind: 'reset' }, 5],
  ['breaks off in the body', { kind: 'cut' }, 5],
  ['ends without its last chunk', { kind: 'cut', chunked: true }, 5],
  [
    'ends early where only the end of the connection ends the body',
    { kind: 'cut', closeDelimited: true },
    3,
  ],
  ['sends its head a byte at a time', { kind: 'slowHeaders', every: 100 }, 3],
  ['stalls half-way', { kind: 'stall' }, 3],
  ['never ends, byte after byte', { kind: 'drip' }, 3],
  ['is longer than its length says', raw('content-length: 5\r\n\r\n{"id":6,"title":"t"}'), 3],
  ['is shorter than its length says', raw('content-length: 500\r\n\r\n{"id":6}'), 5],
  ['is not HTTP', { kind: 'raw', bytes: 'hello there\r\n\r\n' }, 2],
  ['has a header of 20 KB', raw(`x: ${'y'.repeat(20_000)}\r\n\r\n`), 2],
  ['is half a gzip', { kind: 'gzipCut' }, 3],
  ['is a corrupt gzip', { kind: 'gzipCorrupt' }, 5],
];

function raw(rest: string): Fault {
  return { kind: 'raw', bytes: `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${rest}` };
}

/** A short time limit for responses that never end, and a long one for all others, for slow machines. */
function impatience({ kind }: Fault): { timeout?: number } {
  return ['slowHeaders', 'stall', 'drip'].includes(kind) ? { timeout: 6_000 } : {};
}

describe('a response that', () => {
  it.each(faults)('%s is retried, and then the article’s problem', async (_, fault, attempts) => {
    site.strike('article', fault);
    const failure = await site.loadFails(impatience(fault));
    expect(failure).toMatchObject({ code: 'invalid-articles', problems: [{ id: '6' }] });
    expect(site.service.count('article')).toBe(attempts);
  });

  it.each(faults)('%s costs one more request when it does so once', async (_, fault) => {
    site.strike('article', fault, 1);
    await site.loadExactly(impatience(fault));
    expect(site.service.count('article')).toBe(2);
  });
});

describe('a response without an end', () => {
  it.each([
    ['a gzip bomb', { kind: 'gzipBomb' }],
    ['a huge body', { kind: 'huge' }],
  ] as const)('%s is cut at the limit, and not retried', async (_, fault) => {
    site.strike('article', fault);
    const failure = await site.loadFails({ timeout: 400_000 });
    expect(failure).toMatchObject({ code: 'invalid-articles', problems: [{ id: '6' }] });
    expect(failure.message).toContain('2097152');
    expect(site.service.count('article')).toBe(1);
  });
});
