import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { beforeEach, expect, test } from 'vitest';
import { articleSchema } from '../../src/content/schema.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { useSite } from '../helpers/use-site.ts';

// While the collection's schema refuses the newest version of an article, the last good version stays complete.

const site = useSite({
  articles: () => [
    {
      id: 1,
      title: 'Short',
      content: 'Old ![x](/media/snow.jpg)',
      cover_image: '/media/tides.jpg',
    },
    { id: 2, title: 'Other', content: 'Next to it.', cover_image: null },
  ],
  options: { failOn: ['service'], images: { body: 'local' } },
});
const schema = (context: SchemaContext) =>
  articleSchema(context).extend({ title: z.string().max(20), tag: z.string().optional() });
const refused = { title: 'Too long for the schema', content: 'New', cover_image: null, tag: 7 };
const load = (options: ArticlesOptions = {}) => site.load(options, { schema });

beforeEach(async () => {
  expect((await load()).failure).toBeUndefined();
});

test.each(['store', 'mirror'] as const)('stays complete, with `bodies: "%s"`', async (bodies) => {
  const first = (await load({ bodies })).entries.get('1');
  expect(first?.data).toMatchObject({
    title: 'Short',
    cover_image: expect.stringContaining('.jpg'),
  });
  expect(first?.assetImports).toHaveLength(2);

  site.service.change(1, refused);
  for (const text of ['Changed.', 'Changed again.']) {
    site.service.change(2, { content: text });
    const { entries, warnings, failure } = await load({ bodies });
    expect(failure).toBeUndefined();
    expect(warnings.join('\n')).toMatch(/article "1".* schema\. title: [^;]+; tag: /);
    expect(entries.get('1')).toEqual(first);
  }
  // Its files are still there for a load that has to read them.
  const other = bodies === 'store' ? 'mirror' : 'store';
  const moved = (await load({ bodies: other })).entries.get('1');
  expect(moved?.data).toEqual(first?.data);
  expect(moved?.body).toBe(other === 'store' ? 'Old ![x](/media/snow.jpg)' : undefined);
  expect(moved?.rendered?.html).toEqual(
    other === 'store' ? expect.stringContaining('<p>Old') : undefined,
  );

  site.service.change(1, { title: 'Short again', tag: 'a' });
  expect((await load({ bodies })).entries.get('1')?.data).toMatchObject({ title: 'Short again' });
});

test('is shown without its cover, when the file of the cover is missing, and a warning says so', async () => {
  site.service.change(1, refused);
  await rm(join(await site.mirror(), 'images'), { recursive: true });
  const { entries, failure, warnings } = await load();
  expect(failure).toBeUndefined();
  expect(entries.get('1')?.data).toMatchObject({ title: 'Short', cover_image: null });
  expect(warnings.join('\n')).toContain(
    'Cover /media/tides.jpg of article "1": the mirror does not',
  );
});

test('stays while the newest version cannot be rendered', async () => {
  const first = (await load()).entries.get('1');
  site.service.change(1, { content: '>'.repeat(10_000) });
  const { entries, warnings } = await load();
  expect(entries.get('1')).toEqual(first);
  expect(warnings.join()).toContain('article "1"');
});

test('has no image that the options no longer accept, although its file is intact', async () => {
  const images = { body: 'local', maxBytes: 10 } as const;
  const { failure } = await load({ images, failOn: ['images'] });
  const texts = failure?.notices?.map(({ ids, text }) => `${ids} ${text}`).toSorted();
  expect(texts).toEqual([
    expect.stringMatching(/^1 Cover .* of article "1": /),
    expect.stringMatching(/^1 Image .* of article "1": /),
  ]);
  expect(failure?.message).toContain('Raise `images.maxBytes`');
  const { entries } = await load({ images });
  expect(entries.get('1')?.assetImports ?? []).toEqual([]);
});
