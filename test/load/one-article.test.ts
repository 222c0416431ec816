import { beforeEach, describe, expect, it, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { Fault } from '../../fixtures/service.ts';
import { skipPauses } from '../helpers/time.ts';
import { always, useSite } from '../helpers/use-site.ts';
import { patience, status } from './faults/harness.ts';

// If the request, row or field of one article fails, only that article has a problem, as long as any other
// request of the load succeeds (promise P6).

const site = useSite({
  articles: () => makeArticles(8, { words: [5, 10] }),
  options: { failOn: ['service'], retries: 1 },
  loaded: true,
});
const others = ['1', '2', '3', '4', '5', '7', '8'];
const body = (bytes: string | Buffer): Fault => ({ kind: 'body', body: bytes });
const isSixth = ({ id }: { id?: string }) => id === '6';

describe('one article', () => {
  const faults: [string, Fault][] = [
    ...[203, 400, 403, 410, 429, 500].map((code): [string, Fault] => [
      `responds ${code}`,
      status(code),
    ]),
    ['has no end', { kind: 'huge' }],
    ['is not UTF-8', body(Buffer.from('{"id":6,"title":"é","content":"c"}', 'latin1'))],
    ['is nested 70 levels deep', body(`{"id":6,"x":${'['.repeat(70)}${']'.repeat(70)}}`)],
    ['is another article', body('{"id":5,"title":"t","content":"c","cover_image":null}')],
  ];

  test.each(faults)(
    'that %s fails the load by name, or keeps its last version while all others are loaded',
    async (_, fault) => {
      const before = (await site.load()).entries.get('6');
      for (const { id } of site.service.articles) site.service.change(id, { content: `new ${id}` });
      site.strike(isSixth, fault);
      const options = patience(fault);
      const refused = await site.loadFails({ ...options, failOn: ['articles', 'service'] });
      expect(refused).toMatchObject({ code: 'invalid-articles', notices: [{ ids: ['6'] }] });
      const { failure, entries, warnings } = await site.load(options);
      expect(failure).toBeUndefined();
      expect(entries.get('6')).toEqual(before);
      for (const id of others) expect(entries.get(id)?.body).toBe(`new ${id}`);
      expect(warnings).toEqual([expect.stringContaining('article "6"')]);
      expect(warnings[0]).not.toMatch(/\p{Cc}/u);
    },
  );

  it.each([403, 404])('that was never shown, and responds %i, is left out', async (code) => {
    site.service.add({ id: 'new', title: 'New', content: 'new', cover_image: null });
    site.strike(({ id }) => id === 'new', status(code));
    const { failure, entries, warnings } = await site.load();
    expect(failure).toBeUndefined();
    expect([...entries.keys()].toSorted()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    expect(warnings).toEqual([expect.stringContaining('article "new"')]);
  });
});

describe('a service that fails for every article', () => {
  const codes = [403, 404, 503];

  beforeEach(skipPauses);

  test.each(codes)('with %i fails the first load', async (code) => {
    site.service.replace(makeArticles(3));
    site.strike('article', status(code));
    const failure = await site.loadFails({}, { collection: 'fresh' });
    expect(failure.name).toMatch(/^Articles(Request|Listing)Error$/);
    expect(failure.code === 'mass-removal').toBe(code === 404);
  });

  it('and has many is requested for some of them only', async () => {
    site.service.replace(makeArticles(60));
    site.strike('article', status(403));
    await site.loadFails({ concurrency: 2 }, { collection: 'fresh' });
    expect(site.service.count('article')).toBeLessThan(30);
  });

  test.each([
    ['first three', 3, 0, 5],
    ['first one does not', always, 1, 1],
  ])('for all but a few, the %s, passes the first load', async (_, times, skip, size) => {
    site.strike('article', status(403), times, skip);
    const { failure, entries } = await site.load({ concurrency: 1 }, { collection: 'fresh' });
    expect(failure).toBeUndefined();
    expect(entries.size).toBe(size);
  });

  test.each(codes)('with %i later on removes and changes nothing', async (code) => {
    for (const { id } of site.service.articles) site.service.change(id, { content: `new ${id}` });
    site.strike('article', status(code));
    await site.loadFails({ failOn: ['articles', 'service'] });
    const before = await site.state();
    const { entries, warnings } = await site.load();
    expect(await site.state()).toEqual(before);
    expect(entries.size).toBe(8);
    expect(warnings.length).toBeGreaterThan(0);
  });

  it('includes one whose key is revoked during the load', async () => {
    for (const { id } of site.service.articles) site.service.change(id, { content: `new ${id}` });
    site.strike('article', status(403), always, 2);
    site.strike('list', status(403), always, 1);
    expect(await site.loadFails({ concurrency: 1 })).toMatchObject({ code: 'unauthorized' });
  });
});

test('a `cover_image` that is not a URL has a warning, and is no cover', async () => {
  site.service.change(6, { cover_image: { file: '/media/pause.gif' } });
  const { failure, entries, warnings } = await site.load({ failOn: ['articles', 'service'] });
  expect(failure).toBeUndefined();
  expect(warnings).toEqual([
    expect.stringContaining(
      '`cover_image` of article "6" is an object (fields: file) and not a URL',
    ),
  ]);
  expect(entries.get('6')?.data.cover_image).toBeNull();
});
