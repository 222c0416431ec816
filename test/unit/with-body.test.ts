import { expect, it } from 'vitest';
import { withBody } from '../../src/content/with-body.ts';

const rendered = { html: '', metadata: {} };

it('an entry of the store is returned unchanged, also one without any text', async () => {
  const entry = { id: 'draft', collection: 'articles', rendered };
  expect(await withBody(entry)).toEqual({ ...entry, body: '' });
  expect(await withBody({ ...entry, body: 'Text' })).toEqual({ ...entry, body: 'Text' });
});
