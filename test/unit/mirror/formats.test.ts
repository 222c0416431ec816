import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { encodeIndex, indexSchema, version } from '../../../src/mirror/formats.ts';
import { hash } from '../../../src/shared/hash.ts';

it('the version of the index is another one after each change of its schema', () => {
  const schema = JSON.stringify(z.toJSONSchema(indexSchema, { io: 'input' }));
  const advice = 'Raise `version` in src/mirror/formats.ts, then write both values here.';
  expect([version, hash(schema).slice(0, 8)], advice).toEqual([14, 'e7d6bec0']);
});

it('equal indexes have equal bytes, in any order of their images', () => {
  const image = fc.record({
    url: fc.nat(1000).map((number) => `https://a.example/${number}.png`),
    file: fc.constant(`${hash('x')}.png`),
    bytes: fc.nat(),
    freshUntil: fc.nat(),
  });
  let reordered = 0;
  const images = fc.uniqueArray(image, { selector: ({ url }) => url, maxLength: 8 });
  fc.assert(
    fc.property(
      images.chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
      ),
      (orders) => {
        const [bytes, others] = orders.map((order) =>
          encodeIndex(indexSchema.parse({ source: 's', images: order })),
        );
        expect(others).toEqual(bytes);
        if (orders[0][0] !== orders[1][0]) reordered += 1;
      },
    ),
  );
  expect(reordered).toBeGreaterThan(20);
});
