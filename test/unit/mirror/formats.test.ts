import { expect, it } from 'vitest';
import * as z from 'zod';
import { indexSchema, version } from '../../../src/mirror/formats.ts';
import { hash } from '../../../src/shared/hash.ts';

it('the version of the index is another one after each change of its schema', () => {
  const schema = JSON.stringify(z.toJSONSchema(indexSchema, { io: 'input' }));
  const advice = 'Raise `version` in src/mirror/formats.ts, then write both values here.';
  expect([version, hash(schema).slice(0, 8)], advice).toEqual([11, '795a68a7']);
});
