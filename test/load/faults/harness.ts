import { beforeEach } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { Fault } from '../../../fixtures/service.ts';
import type { ArticlesClient, CallOptions } from '../../../src/client/client.ts';
import { type Reading, readListing } from '../../../src/client/listing/reading.ts';
import { key, type TestSite, useSite } from '../../helpers/use-site.ts';

export { always, key } from '../../helpers/use-site.ts';

/** Creates a site with six articles for each test. The newest article has changed since the last load. */
export function useFaultSite(): TestSite {
  const site = useSite({
    articles: () => makeArticles(6, { words: [100, 200] }),
    options: { timeout: 20_000 },
    loaded: true,
  });
  beforeEach(() => site.service.change(6, { content: 'changed since' }));
  return site;
}

/** Reads the whole listing. */
export function readAll(client: ArticlesClient, call: CallOptions = {}): Promise<Reading> {
  return readListing(client, { pageSize: 500, apiKey: key, call });
}

export function status(code: number, more: object = {}): Fault {
  return { kind: 'status', status: code, ...more };
}

/** A short time limit for responses that never end, and a long one for all others, for slow machines. */
export function patience({ kind }: Fault): { timeout?: number } {
  return ['never', 'slowHeaders', 'stall', 'drip'].includes(kind) ? { timeout: 6_000 } : {};
}

/** Creates a fault that changes the JSON of a page of the listing. */
export function rewritePage(change: (page: Record<string, unknown>) => unknown): Fault {
  return { kind: 'rewrite', rewrite: (value) => change(Object(value)) };
}

/** Returns the rows of a page of the listing. */
export function rowsOf({ results }: Record<string, unknown>): unknown[] {
  return Array.isArray(results) ? results : [];
}
