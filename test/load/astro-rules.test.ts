import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { articleSchema } from '../../src/content/article-schema.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { fixtureCover, type ImageHost, startImageHost } from '../helpers/image-host.ts';
import { importedFiles, type Load, useSite } from '../helpers/use-site.ts';

// Astro, Vite, file systems and hosts have rules for the data of a loader. No result of a load may make a
// later step of the build fail.

type ImageOptions = ArticlesOptions['images'];

const site = useSite({ articles: () => makeArticles(3, { words: [5, 10] }) });
let host: ImageHost;

beforeAll(async () => {
  host = await startImageHost();
});
afterAll(() => host.close());
beforeEach(() => {
  host.responses.clear();
  host.requests.length = 0;
});

/** Astro's reader of image files. If it throws, the build fails. */
async function readAsAstro(path: string): Promise<unknown> {
  const home = fileURLToPath(import.meta.resolve('astro/package.json'));
  const module = pathToFileURL(join(home, '../dist/assets/utils/metadata.js'));
  const { imageMetadata } = await import(module.href);
  return imageMetadata(await readFile(path), path);
}

/** Loads, with images of the test's own host allowed. */
const load = (images: ImageOptions = {}) =>
  site.load({ images: { allowPrivateHosts: ['127.0.0.1'], ...images } });
const importedBy = ({ entries }: Load) =>
  [...entries.values()].flatMap((entry) => importedFiles(site.root, entry));

describe('an image that Astro’s own reader cannot read', () => {
  /** Inserts a valid fill byte (ITU T.81, B.1.1.2) before the second marker. */
  async function filledJpeg(): Promise<Buffer> {
    const jpeg = await fixtureCover('tides.jpg');
    const second = 4 + jpeg.readUInt16BE(4);
    return Buffer.concat([jpeg.subarray(0, second), Buffer.from([0xff]), jpeg.subarray(second)]);
  }

  test('is left out with a warning', async () => {
    host.responses.set('/filled.jpg', await filledJpeg());
    await expect(readAsAstro(await writeTemporary(await filledJpeg()))).rejects.toThrow();
    site.service.change(3, { cover_image: `${host.url}/filled.jpg` });
    const loaded = await load();
    expect(loaded.failure).toBeUndefined();
    expect(importedBy(loaded)).toEqual([]);
    expect(loaded.warnings.join('\n')).toContain('filled.jpg');
  });

  async function writeTemporary(bytes: Buffer): Promise<string> {
    const { writeFile } = await import('node:fs/promises');
    const path = join(site.root, 'original.jpg');
    await writeFile(path, bytes);
    return path;
  }
});

describe('a slug', () => {
  const long: [string, string][] = [
    ['letters of four bytes', '𐐷'.repeat(100)],
    ['Han letters', '漢'.repeat(300)],
    ['Latin letters', 'a'.repeat(5_000)],
    ['emoji', '👩‍👩‍👧‍👦'.repeat(60)],
    ['accents', 'é̂̃'.repeat(200)],
    ['one word after another', 'word '.repeat(200)],
  ];

  test.each(long)('of %s fits into a file name', async (_, title) => {
    site.service.replace([
      { id: 1, title, content: 'c', cover_image: null },
      { id: 2, title, content: 'c', cover_image: null },
      { id: 'x'.repeat(500), title, content: 'c', cover_image: null },
    ]);
    const { failure, entries } = await site.load();
    expect(failure).toBeUndefined();
    const slugs = [...entries.values()].map(({ data }) => String(data.slug));
    for (const slug of slugs) {
      expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(200);
      expect(slug.isWellFormed()).toBe(true);
      expect(slug).toBe(slug.normalize('NFC'));
    }
    expect(new Set(slugs).size).toBe(3);
  });
});

describe('the digest of an entry', () => {
  const schema = (suffix: string) => (context: SchemaContext) =>
    articleSchema(context).transform((data) => ({ ...data, title: `${data.title}${suffix}` }));

  test('changes with what the schema makes of the data', async () => {
    const first = await site.load({}, { schema: schema('!') });
    // As Astro does when content.config changes.
    await rm(join(site.root, 'cache/data-store.json'));
    const second = await site.load({}, { schema: schema('?') });
    expect(second.failure).toBeUndefined();
    for (const [id, entry] of second.entries) {
      expect(entry.data.title).toMatch(/\?$/);
      expect(entry.digest).not.toBe(first.entries.get(id)?.digest);
    }
  });

  it('is the same when nothing has changed, also after Astro has cleared its store', async () => {
    const digests = ({ entries }: Load) =>
      new Map([...entries].map(([id, entry]) => [id, entry.digest]));
    const first = digests(await site.load());
    expect(digests(await site.load())).toEqual(first);
    await rm(join(site.root, 'cache/data-store.json'));
    expect(digests(await site.load())).toEqual(first);
    await rm(join(site.root, 'cache'), { recursive: true });
    expect(digests(await site.load())).toEqual(first);
  });

  it('changes with each field, the cover’s bytes, the position, and the text', async () => {
    host.responses.set('/cover', await fixtureCover('pause.gif'));
    site.service.change(3, { cover_image: `${host.url}/cover` });
    const seen = new Set<unknown>();
    const note = async () => {
      const { failure, entries } = await load();
      expect(failure).toBeUndefined();
      seen.add(entries.get('3')?.digest);
    };
    await note();
    site.service.change(3, { title: 'Another title' });
    await note();
    site.service.change(3, { content: 'another text' });
    await note();
    host.responses.set('/cover', await fixtureCover('tides.jpg'));
    site.service.change(3, { cover_image: `${host.url}/cover?2` });
    await note();
    site.service.remove(1);
    await note();
    expect(seen.size).toBe(5);
  });
});

describe('fields of the service with the names of the package’s own', () => {
  const own = {
    slug: 'my-own-address',
    description: 'My own words.',
    words: 1_000_000,
    position: -7,
  };

  beforeEach(() => site.service.change(3, own));

  const named = {
    slug: z.string(),
    description: z.string(),
    words: z.number(),
    position: z.number(),
  };

  it.each([{}, named])(
    'do not replace those of the package, with a schema of %j',
    async (fields) => {
      const schema = (context: SchemaContext) => articleSchema(context).extend(fields);
      const { entries } = await site.load({}, { schema });
      expect(entries.get('3')?.data).toMatchObject({ position: 3 });
      for (const [name, value] of Object.entries(own)) {
        expect(entries.get('3')?.data[name]).not.toBe(value);
      }
    },
  );

  it('reach a schema under the names that `transform` gives them', async () => {
    const schema = (context: SchemaContext) =>
      articleSchema(context).extend({ summary: z.string().optional() });
    const { failure, entries } = await site.load(
      { transform: (article) => ({ ...article, summary: article.description }) },
      { schema },
    );
    expect(failure).toBeUndefined();
    expect(entries.get('3')?.data).toMatchObject({ summary: own.description, position: 3 });
  });
});
