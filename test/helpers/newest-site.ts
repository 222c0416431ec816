import { expect } from 'vitest';
import type { FixtureService } from '../../fixtures/service.ts';
import type { DevServer } from './site.ts';

// Readers and webhooks of the site of the guide "Beyond one machine".

/** The secret of the site's webhook. */
export const secret = 'a-secret-of-the-webhook';

/**
 * Returns functions that read and purge the pages of a running site.
 *
 * @param tagHeader the header of the host with the cache tags of a page
 */
export function visitorOf(service: FixtureService, server: () => DevServer, tagHeader = '') {
  /** Requests a page, without following a redirect, and counts the requests to the service. */
  async function get(path: string) {
    service.clearRequests();
    const response = await fetch(server().url + encodeURI(path), { redirect: 'manual' });
    const { status, headers } = response;
    const text = await response.text();
    const header = (name: string) => (name && headers.get(name)) || undefined;
    return {
      ...{ status, text },
      location: decodeURI(header('location') ?? ''),
      tags: header(tagHeader)?.split(','),
      requests: service.count(),
    };
  }

  return {
    get,

    /** Sends the webhook of an article, as the service does when it is published. */
    async publish(id: number, key = secret): Promise<number> {
      const response = await fetch(`${server().url}/api/purge?secret=${key}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ article_id: id }),
      });
      return response.status;
    },

    /** Expects the pages of articles that are not built, of a service with 30 titled articles. */
    async expectRendered(): Promise<void> {
      const path = '/articles/title-7-7/';
      const page = await get(path);
      expect(page).toMatchObject({ status: 200, requests: 1 });
      expect(page.text).toMatch(/<h1>Title 7<\/h1>[\s\S]*<p>/);
      expect(page.tags).toEqual(['liveArticles', 'liveArticles:7', `astro-path:${path}`]);
      const moved = await get('/articles/an-old-title-7/');
      expect(moved).toMatchObject({ status: 301, location: path });
      const missing = await get('/articles/title-99/');
      expect(missing).toMatchObject({ status: 404, requests: 1 });
      expect(missing.tags).toContain('liveArticles:99');
    },
  };
}
