import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { encodeIndex, formatVersion, indexSchema } from '../../../src/mirror/formats.ts';
import { hash } from '../../../src/shared/hash.ts';

it('the version of the index is another one after each change of its schema', () => {
  const schema = JSON.stringify(z.toJSONSchema(indexSchema, { io: 'input' }));
  const advice = 'Raise `formatVersion` in src/mirror/formats.ts, then write both values here.';
  expect([formatVersion, hash(schema).slice(0, 8)], advice).toEqual([16, '7917ed1b']);
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
          encodeIndex(indexSchema.parse({ baseUrl: 's', images: order })),
        );
        expect(others).toEqual(bytes);
        if (orders[0][0] !== orders[1][0]) reordered += 1;
      },
    ),
  );
  expect(reordered).toBeGreaterThan(20);
});

const name = hash('x');
const article = {
  id: 'a',
  title: 't',
  record: name,
  cover: null,
  hasContent: true,
  renderings: [],
};
const rendering = { name: `${name}-${name}`, images: [], dropped: [] };
const image = { url: 'u', file: `${name}.png`, bytes: 1, freshUntil: 1 };

it('an index has each of its fields in a line', () => {
  const index = indexSchema.parse({ baseUrl: 's', articles: [article] });
  const lines = String(encodeIndex(index)).split('\n');
  for (const [name, value] of Object.entries({
    baseUrl: 's',
    id: 'a',
    title: 't',
    record: hash('x'),
  }))
    expect(lines.map((line) => line.trim())).toContain(`"${name}": "${value}",`);
});

it('accepts the names that it writes', () => {
  const whole = { ...article, renderings: [rendering], sourceHash: '0123abcd' };
  const images = [{ ...image, color: '#0189ef' }];
  const index = { baseUrl: 's', articles: [whole], images, packs: [`${name}.pack`] };
  expect(indexSchema.safeParse(index).success).toBe(true);
});

const wrongNames: [fault: string, name: string][] = [
  ['too long', `${name}0`],
  ['too short', name.slice(1)],
  ['in upper case', name.toUpperCase()],
  ['behind a slash', `/${name}`],
  ['before a slash', `${name}/`],
  ['in the parent folder', `../${name}`],
];
it.each([
  ...wrongNames.flatMap<[string, object]>(([fault, wrong]) => [
    [`a record whose name is ${fault}`, { articles: [{ ...article, record: wrong }] }],
    [
      `a rendering whose first part is ${fault}`,
      { articles: [{ ...article, renderings: [{ ...rendering, name: `${wrong}-${name}` }] }] },
    ],
    [
      `a rendering whose second part is ${fault}`,
      { articles: [{ ...article, renderings: [{ ...rendering, name: `${name}-${wrong}` }] }] },
    ],
    [`an image whose name is ${fault}`, { images: [{ ...image, file: `${wrong}.png` }] }],
    [`a pack whose name is ${fault}`, { packs: [`${wrong}.pack`] }],
  ]),
  ...['0123abc', '0123abcde', '0123abcg', '/0123abc', 'x0123abcd'].map<[string, object]>(
    (sourceHash) => [`the source hash ${sourceHash}`, { articles: [{ ...article, sourceHash }] }],
  ),
  ...['#01234', '#0123456', '#01234g', '0123456', 'x#012345'].map<[string, object]>((color) => [
    `the color ${color}`,
    { images: [{ ...image, color }] },
  ]),
  ...['x', '.pack', `${name}.pack.x`, `${name}-pack`].map<[string, object]>((pack) => [
    `the pack ${pack}`,
    { packs: [pack] },
  ]),
  ['an image with the suffix .html', { images: [{ ...image, file: `${name}.html` }] }],
  ['an image with the suffix .png.html', { images: [{ ...image, file: `${name}.png.html` }] }],
])('refuses an index that could name another file: %s', (_, part) => {
  expect(indexSchema.safeParse({ baseUrl: 's', ...part }).success).toBe(false);
});
