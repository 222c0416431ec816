import { afterAll, afterEach, beforeEach } from 'vitest';
import { createSite, type Site, type SiteOptions } from './site.ts';

/**
 * Removes sites, with their servers, after the test that has created them, and those of `beforeAll()` after all
 * tests.
 */
export function useSites() {
  const sites: Site[] = [];
  let shared = 0;
  const removeUntil = async (count: number) => {
    for (const site of sites.splice(count)) await site.remove();
  };
  beforeEach(() => {
    shared = sites.length;
  });
  afterEach(() => removeUntil(shared));
  afterAll(() => removeUntil(0));

  /** Removes a site after its tests. */
  async function keep(created: Promise<Site>): Promise<Site> {
    const site = await created;
    sites.push(site);
    return site;
  }
  return { keep, create: (options?: SiteOptions) => keep(createSite(options)) };
}
