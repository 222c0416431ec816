import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { benchArticle } from '../articles.ts';
import type { ServiceCommand, ServiceReady } from './service.ts';

/** A service that makes each article when it is requested, so that it can have a million of them. */
const { count }: { count: number } = JSON.parse(process.argv[2] ?? '');
let requests = 0;

const server = createServer((request, response) => {
  requests += 1;
  const url = new URL(request.url ?? '', 'http://127.0.0.1');
  const id = /articles\/(\d+)\/$/.exec(url.pathname)?.[1];
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(id ? benchArticle(Number(id)) : page(url.searchParams)));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

process.on('message', ({ kind }: ServiceCommand) => {
  if (kind !== 'requests') throw new Error(`The command ${kind} is unknown.`);
  process.send?.(requests);
  requests = 0;
});
process.on('disconnect', () => process.exit());
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.send?.({ url: origin, origin, apiKey: 'a-key-of-the-bench' } satisfies ServiceReady);

/** The newest articles have the highest ids. */
function page(query: URLSearchParams) {
  const offset = Number(query.get('offset'));
  const length = Math.max(0, Math.min(Number(query.get('limit')), count - offset));
  const results = Array.from({ length }, (_, index) => benchArticle(count - offset - index));
  return { count, next: offset + length < count ? 'more' : null, results };
}
