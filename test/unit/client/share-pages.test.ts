import { expect, test, vi } from 'vitest';
import { createPageSharing } from '../../../src/client/listing/share-pages.ts';
import { ArticlesRequestError } from '../../../src/errors.ts';

const request = { url: 'https://app.example.com/articles/', apiKey: 'k', maxBytes: 1 };
const { url } = request;

test.each([
  ['shared, if the service failed', new ArticlesRequestError('server-error', 'no', { url }), 1],
  ['not shared, if its time was up', new ArticlesRequestError('total-timeout', 'no', { url }), 2],
  ['not shared, if it is of another request', new ArticlesRequestError('network', 'no'), 2],
  ['not shared, if its load was aborted', new Error('no'), 2],
])('a failure is %s', async (_, error, requests) => {
  const share = createPageSharing();
  const send = vi.fn().mockRejectedValue(error);
  await Promise.allSettled([share(request, send), share(request, send)]);
  expect(send).toHaveBeenCalledTimes(requests);
});
