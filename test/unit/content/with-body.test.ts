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
