import { expect, it } from 'vitest';
import { withBody } from '../../../src/content/with-body.ts';

const rendered = { html: '', metadata: {} };

it('an entry of the store is returned unchanged, also one without any text', async () => {
  const entry = { id: 'draft', collection: 'articles', rendered };
  expect(await withBody(entry)).toEqual({ ...entry, body: '' });
  expect(await withBody({ ...entry, body: 'Text' })).toEqual({ ...entry, body: 'Text' });
});

it('the error for an entry without a text is one line without control characters', async () => {
  const entry = { id: 'a\u202e##[error]b', collection: 'articles' };
  await expect(withBody(entry)).rejects.toThrow('"a\\u{202e}#\\u{23}[error]b"');
});

it('a file that Astro renders itself, such as one of MDX, is returned with its body', async () => {
  const entry = { id: 'file', collection: 'articles', deferredRender: true };
  expect(await withBody(entry)).toEqual({ ...entry, body: '' });
});

it('the error says what makes a text available, also on Cloudflare', async () => {
  const hint = await withBody({ id: 'a', collection: 'articles' }).catch((error) => error.hint);
  expect(hint).toContain('`export const prerender = true`');
  expect(hint).toContain("`cloudflare({ prerenderEnvironment: 'node' })`");
});
