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

describe('previewUrl() and verifyPreview()', () => {
  it('accept the link of any id until it expires', async () => {
    const ids = fc.string({ minLength: 1, unit: 'binary' }).filter((id) => id.isWellFormed());
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
    expect(checked).toBeGreaterThan(100);
  });

  it('refuse a link that was signed with another secret, or has no signature', async () => {
    const url = await previewUrl('1', { secret: `${secret}!`, expires, page });
    expect(await verifyPreview({ url }, before)).toEqual(refused('wrong'));
    expect(await verifyPreview({ url: page }, before)).toEqual(refused('not complete'));
  });

  it('sign the boundary between the time and the id', async () => {
    const url = new URL(await previewUrl('3\n1', { secret, expires, page }));
    url.searchParams.set('expires', `${url.searchParams.get('expires')}\n3`);
    url.searchParams.set('id', '1');
    expect(await verifyPreview({ url }, before)).toEqual(refused('wrong'));
  });

  it.each([
    [undefined, 'missing'],
    ['', 'missing'],
    ['fifteen letters', 'at least 16'],
  ])('throw for the secret %j', async (secret, reason) => {
    await expect(verifyPreview({ url: page }, { secret })).rejects.toThrow(reason);
    await expect(previewUrl('1', { secret: secret ?? '', page })).rejects.toThrow(reason);
  });

  it('throw for an empty id, and for a time that is not valid', async () => {
    await expect(previewUrl('', { secret, page })).rejects.toThrow('id');
    for (const expires of [Number.NaN, new Date('x'), Number.POSITIVE_INFINITY, -1e12]) {
      await expect(previewUrl('1', { secret, page, expires })).rejects.toThrow('`expires`');
    }
  });
});
