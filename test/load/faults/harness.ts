import { beforeEach } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { Fault } from '../../../fixtures/service.ts';
import { type TestSite, useSite } from '../../helpers/use-site.ts';

export { key } from '../../helpers/use-site.ts';

/** Creates a site with six articles for each test. The newest article has changed since the last load. */
export function useFaultSite(): TestSite {
  const site = useSite({
    articles: () => makeArticles(6, { words: [100, 200] }),
    loaded: true,
  });
  beforeEach(() => site.service.change(6, { content: 'changed since' }));
  return site;
}

export function status(code: number, more: object = {}): Fault {
  return { kind: 'status', status: code, ...more };
}

/** A short time limit for responses that never end. */
export function patience({ kind }: Fault): { timeout?: number } {
  return ['never', 'slowHeaders', 'stall', 'drip'].includes(kind) ? { timeout: 6_000 } : {};
}
