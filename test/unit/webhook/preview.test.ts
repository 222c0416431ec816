import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { previewUrl, verifyPreview } from '../../../src/webhook/index.ts';
import { runs } from '../../helpers/runs.ts';

const secret = 'a secret of sixteen or more characters';
const page = 'https://site.example/preview?theme=dark';
const expires = new Date('2030-01-01T00:00:00Z');
const before = { secret, date: expires.getTime() - 1 };
const refused = (reason: string) => ({
  status: 'refused',
  reason: expect.stringContaining(reason),
});
const ids = fc.string({ minLength: 1, unit: 'binary' }).filter((id) => id.isWellFormed());

describe('previewUrl() and verifyPreview()', () => {
  it('accept the link of any id until it expires', async () => {
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        const url = await previewUrl(id, { secret, expires, page });
        expect(await verifyPreview({ url }, before)).toEqual({ status: 'valid', id });
        checked += 1;
      }),
      runs(100),
    );
    expect(checked).toBeGreaterThan(0);
  });

  it('keep the other parameters of the page', async () => {
    const url = new URL(await previewUrl('1', { secret, expires, page }));
    expect([...url.searchParams.keys()]).toEqual(['theme', 'id', 'expires', 'signature']);
  });

  it('refuse the link from the moment at which it expires', async () => {
    const url = await previewUrl('1', { secret, expires, page });
    const date = expires.getTime();
    expect(await verifyPreview({ url }, { secret, date })).toEqual(refused('expired'));
    const soon = await previewUrl('1', { secret, expires: 60, page });
    expect(await verifyPreview({ url: soon }, { secret })).toMatchObject({ status: 'valid' });
    const later = Date.now() + 61_000;
    expect(await verifyPreview({ url: soon }, { secret, date: later })).toEqual(refused('expired'));
  });

  it.each([1, 500, 999, 1_000])(
    'never end a link before its time, %d ms after a second',
    async (ms) => {
      const date = new Date(expires.getTime() - 1_000 + ms);
      const url = await previewUrl('1', { secret, expires: date, page });
      const verdict = verifyPreview({ url }, { secret, date: date.getTime() - 1 });
      expect(await verdict).toMatchObject({ status: 'valid' });
    },
  );

  it('end a link after a day, if nothing else is set', async () => {
    const url = await previewUrl('1', { secret, page });
    const verdictIn = (seconds: number) =>
      verifyPreview({ url }, { secret, date: Date.now() + seconds * 1_000 });
    expect(await verdictIn(86_399)).toMatchObject({ status: 'valid' });
    expect(await verdictIn(86_401)).toEqual(refused('expired'));
  });

  it('replace the parameters of another link', async () => {
    const other = await previewUrl('1', { secret, expires: 60, page });
    const url = await previewUrl('2', { secret, expires, page: other });
    expect(await verifyPreview({ url }, before)).toEqual({ status: 'valid', id: '2' });
  });

  it('refuse a link of which any part was changed', async () => {
    const url = await previewUrl('12', { secret, expires, page });
    const changes = fc.record({
      name: fc.constantFrom('id', 'expires', 'signature'),
      value: fc.oneof(fc.string(), fc.constantFrom('1', '1893456001', '0'.repeat(64), '12\n')),
    });
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(changes, async ({ name, value }) => {
        const changed = new URL(url);
        fc.pre(changed.searchParams.get(name) !== value);
        changed.searchParams.set(name, value);
        expect(await verifyPreview({ url: changed }, before)).toMatchObject({ status: 'refused' });
        checked += 1;
      }),
      runs(200),
    );
    expect(checked).toBeGreaterThan(20);
  });

  it('refuse a link that was signed with another secret, or has no signature', async () => {
    const url = await previewUrl('1', { secret: `${secret}!`, expires, page });
    expect(await verifyPreview({ url }, before)).toEqual(refused('wrong'));
    expect(await verifyPreview({ url: page }, before)).toEqual(refused('incomplete'));
  });

  it('sign the boundary between the time and the id', async () => {
    const url = new URL(await previewUrl('3\n1', { secret, expires, page }));
    url.searchParams.set('expires', `${url.searchParams.get('expires')}\n3`);
    url.searchParams.set('id', '1');
    expect(await verifyPreview({ url }, before)).toEqual(refused('wrong'));
  });

  it('throw for an empty id, and for a time that is not valid', async () => {
    await expect(previewUrl('', { secret, page })).rejects.toThrow(
      'The id of the article to preview is empty.',
    );
    for (const expires of [Number.NaN, new Date('x'), Number.POSITIVE_INFINITY, -1e12]) {
      await expect(previewUrl('1', { secret, page, expires })).rejects.toThrow(
        '`expires` is not a valid date or number.',
      );
    }
  });
});

it.each([
  [undefined, 'missing'],
  ['fifteen letters', 'at least 16'],
])('the secret %j is refused with an error', async (secret, reason) => {
  await expect(verifyPreview({ url: page }, { secret })).rejects.toThrow(reason);
  await expect(previewUrl('1', { secret, page })).rejects.toThrow(reason);
});

it('derives the key of a signature for its page, so it is never that of a webhook', async () => {
  const link = new URL(await previewUrl('7', { secret, expires, page }));
  const label = 'astro-articles preview\nsite.example\n/preview';
  const key = createHmac('sha256', secret).update(label).digest();
  const expected = createHmac('sha256', key).update('1893456000\n7').digest('hex');
  expect(link.searchParams.get('signature')).toBe(expected);
});

describe('a link is valid for one page of one site', () => {
  const link = (page: string) => previewUrl('5', { secret, expires, page });

  it.each([
    'https://site.example/news/preview',
    'https://site.example/Preview',
    'https://site.example/',
    'https://site.example/preview//',
    'https://site.example:8443/preview',
    'https://www.site.example/preview',
  ])('not for %s', async (other) => {
    const moved = other + new URL(await link(page)).search;
    expect(await verifyPreview({ url: moved }, before)).toEqual(refused('another page or site'));
    expect(await verifyPreview({ url: await link(other) }, before)).toMatchObject({ id: '5' });
  });

  it('with or without a slash at the end, and with any scheme that a proxy leaves', async () => {
    for (const url of [
      (await link(page)).replace('/preview', '/preview/'),
      (await link('https://site.example/preview/')).replace('/preview/', '/preview'),
      (await link(page)).replace('https:', 'http:'),
    ]) {
      expect(await verifyPreview({ url }, before)).toEqual({ status: 'valid', id: '5' });
    }
  });

  it('of `site`, for any host that the server sees', async () => {
    const local = (await link(page)).replace('https://site.example', 'http://localhost:4321');
    const request = new Request(local, { headers: { host: 'site.example' } });
    const site = new URL('https://site.example');
    expect(await verifyPreview({ url: local, site }, before)).toMatchObject({ status: 'valid' });
    const ofPort = {
      url: await link('https://site.example:8443/preview'),
      site: `${site.origin}:8443`,
    };
    expect(await verifyPreview(ofPort, before)).toMatchObject({ status: 'valid' });
    const other = 'https://other.example';
    const spoofed = { url: await link(page), site: other, request };
    expect(await verifyPreview(spoofed, before)).toEqual(refused('another page or site'));
  });

  it('of the host that the reader requested, if there is no `site`', async () => {
    const url = (await link(page)).replace('https://site.example', 'http://localhost:4321');
    const requestOf = (host: string) => ({ url, request: { headers: new Headers({ host }) } });
    expect(await verifyPreview(requestOf('site.example'), before)).toMatchObject({ id: '5' });
    expect(await verifyPreview(requestOf('other.example'), before)).toEqual(refused('wrong'));
    expect(await verifyPreview(new Request(url), before)).toEqual(refused('wrong'));
  });
});
