import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  fixtureCover,
  type ImageHost,
  startImageHost,
  withDomains,
} from '../helpers/image-host.ts';
import { useSite } from '../helpers/use-site.ts';

// Which file is an SVG is known by its response only: many URLs of a CMS have no extension.

const site = useSite({
  articles: () => [{ id: 1, title: 'One', content: 'Text.', cover_image: null }],
  options: { images: { body: 'local' } },
});
let host: ImageHost;

beforeAll(async () => {
  host = await startImageHost();
  host.responses.set('/drawing', (_, response) =>
    response
      .writeHead(200, { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=3600' })
      .end('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  );
});
afterAll(() => host.close());
beforeEach(() => {
  host.requests.length = 0;
});

const load = () => site.load({}, withDomains(`127.0.0.1:${host.port}`));

it('in a body stays remote, without a warning, and is requested again only when it is stale', async () => {
  site.service.change(1, { content: `![Plan](${host.url}/drawing)` });
  const first = await load();
  const second = await load();
  expect(first.warnings).toEqual([]);
  expect(second.warnings).toEqual([]);
  expect(host.requests).toHaveLength(1);
  expect(second.entries.get('1')?.rendered?.html).toContain(`src="${host.url}/drawing"`);
});

it('is no cover, and each load says so', async () => {
  site.service.change(1, { cover_image: `${host.url}/drawing` });
  for (const _ of ['first', 'second']) {
    const { entries, warnings } = await load();
    expect(entries.get('1')?.data.cover_image).toBeNull();
    expect(warnings.join()).toMatch(/Cover .* of article "1": it is an SVG/);
  }
  expect(host.requests.length).toBeLessThan(2);
});

it('does not replace a cover that was good, which an error of its host may send', async () => {
  const { responses } = host;
  const cover = await fixtureCover('tides.jpg');
  const headers = { 'cache-control': 'no-cache' };
  responses.set('/cover', (_, response) => response.writeHead(200, headers).end(cover));
  site.service.change(1, { cover_image: `${host.url}/cover` });
  const first = await load();
  const svg = { ...headers, 'content-type': 'Image/SVG+XML; charset=utf-8' };
  responses.set('/cover', (_, response) => response.writeHead(200, svg).end('<svg/>'));
  const { entries, warnings } = await load();
  expect(first.entries.get('1')?.data.cover_image).toMatch(/\.jpg$/);
  expect(entries.get('1')?.data.cover_image).toBe(first.entries.get('1')?.data.cover_image);
  expect(warnings.join()).toContain('The last good file is used.');
});
