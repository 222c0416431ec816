import { ArticlesRequestError } from '../../errors.ts';
import type { ListingPage } from './page.ts';

/** Returns the page that an equal request in flight receives, or sends the request. */
export type SharePage = (
  request: { url: string; apiKey: string; maxBytes: number },
  send: () => Promise<ListingPage>,
) => Promise<ListingPage>;

/**
 * Creates a function by which the collections of a site that read the same listing at the same time request each page
 * once. Only requests in flight are shared, because a later reading has to show what has changed.
 */
export function createPageSharing(): SharePage {
  const inFlight = new Map<string, Promise<ListingPage>>();

  return async (request, send) => {
    const key = JSON.stringify(Object.entries(request));
    const running = inFlight.get(key);
    if (running) {
      const page = await running.catch((error: unknown) => {
        if (isOfService(error, request.url)) throw error;
      });
      return page ?? send();
    }
    const page = send();
    inFlight.set(key, page);
    try {
      return await page;
    } finally {
      inFlight.delete(key);
    }
  };
}

/** Whether a request failed because of the service. Otherwise, the load that sent it has ended for its own reasons. */
function isOfService(error: unknown, url: string): boolean {
  if (!(error instanceof ArticlesRequestError)) return false;
  return error.url === url && error.code !== 'total-timeout';
}
