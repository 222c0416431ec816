import { describe, expect, it } from 'vitest';
import type { Version } from '../../../src/load/article-version.ts';
import { planEntries, storedEntry } from '../../../src/load/entry-plan.ts';
import type { Load } from '../../../src/load/load.ts';
import type { IndexedArticle, MirrorImage } from '../../../src/mirror/formats.ts';

const cover = 'https://a.example/cover.png';
const inText = 'https://a.example/text.png';
const imageOf = (url: string, file: string): MirrorImage => ({
  ...{ url, file, bytes: 1, color: '#00ff00', freshUntil: 0 },
});

interface Changes {
  slug?: string;
  cover?: string | null;
  /** The hash of what was rendered. */
  content?: string;
  files?: Record<string, string>;
  older?: number;
  options?: object;
}

/** Plans the entries of the articles `a` and `b`. What is changed is changed of both. */
async function plan(changes: Changes = {}, leftOut: readonly string[] = []) {
  const { slug, content = 'hash', files = { [cover]: 'c.png', [inText]: 't.png' } } = changes;
  const versions = ['a', 'b'].map((id): [string, Version] => {
    const article = {
      ...{ id, title: id, record: 'r', hasContent: true, givenSlug: `${slug ?? 'slug'}-${id}` },
      cover: changes.cover === undefined ? cover : changes.cover,
      renderings: [{ name: `key-${content}`, images: [inText], dropped: [] }],
    } satisfies IndexedArticle;
    if (leftOut.includes(id)) return [id, { article, leftOut: 'draft' }];
    return [id, { article, transformed: article }];
  });
  const load = {
    options: {
      ...{ order: 'newest-first', entryId: 'id', bodies: 'store', images: { covers: 'local' } },
      baseUrl: 'https://service.example/sub/',
      ...changes.options,
    },
    astro: { folder: 'src/content/articles', imageFolder: '../images' },
    before: new Map(),
  };
  const images = new Map(Object.entries(files).map(([url, file]) => [url, imageOf(url, file)]));
  const inputs = { images, older: changes.older ?? 0, paths: new Map() };
  const entries = await planEntries(['a', 'b'], new Map(versions), inputs, load as unknown as Load);
  return entries.sources;
}

it('names the file, the slug and the images of an entry', async () => {
  const [source] = await plan();
  expect(source).toMatchObject({
    ...{ id: 'a', slug: 'slug-a', filePath: 'src/content/articles/slug-a.md' },
    cover: { file: '../images/c.png', color: '#00ff00' },
    bodyFiles: ['../images/t.png'],
  });
  // The signature of a URL may be another one in each response.
  const [signed] = await plan({ cover: `${cover}?X-Amz-Signature=1` });
  expect(signed?.cover).toEqual(source?.cover);
  const [named] = await plan({ options: { entryId: 'slug' } });
  expect(named?.id).toBe('slug-a');
});

it.each<[what: string, positions: object, changes: Changes, leftOut?: string[]]>([
  ['the newest article first', { a: 2, b: 1 }, {}],
  ['the oldest article first', { a: 1, b: 2 }, { options: { order: 'oldest-first' } }],
  ['articles that are not loaded', { a: 12, b: 11 }, { older: 10 }],
  ['an article that is left out', { a: 2 }, {}, ['b']],
])('counts the positions of a listing with %s', async (_, positions, changes, leftOut) => {
  const sources = await plan(changes, leftOut);
  expect(Object.fromEntries(sources.map(({ id, position }) => [id, position]))).toEqual(positions);
});

it.each([
  ['/a.png', 'https://service.example/a.png'],
  ['a.png', 'https://service.example/sub/a.png'],
  ['https://a.example/b.png', 'https://a.example/b.png'],
  ['javascript:alert(1)', null],
  [null, null],
])('links the cover %j, if covers are remote, as %j', async (url, file) => {
  const [source] = await plan({ cover: url, options: { images: { covers: 'remote' } } });
  expect(source?.cover).toEqual({ file, color: null });
});

describe('the hash of what an entry is made from', () => {
  const hashOf = async (changes: Changes = {}) => (await plan(changes))[0]?.inputsHash;

  it.each<[string, Changes]>([
    ['its slug', { slug: 'other' }],
    ['what was rendered', { content: 'other' }],
    ['its cover', { cover: null }],
    ['the file of its cover', { files: { [cover]: 'other.png', [inText]: 't.png' } }],
    ['the file of an image in its text', { files: { [cover]: 'c.png' } }],
    ['the option `bodies`', { options: { bodies: 'mirror' } }],
  ])('changes with %s', async (_, changes) => {
    expect(await hashOf(changes)).not.toBe(await hashOf());
  });

  it('does not change with its position', async () => {
    expect(await hashOf({ older: 10 })).toBe(await hashOf());
  });
});

it('finds a stored entry with the same inputs, position and schema', async () => {
  const [source] = await plan();
  if (!source) throw new Error('nothing was planned');
  const { inputsHash, position } = source;
  const found = (digest: string, isSameSchema = true) => {
    const stored = (id: string) => ({ id, data: {}, digest });
    return storedEntry(source, { astro: { isSameSchema, stored } } as unknown as Load);
  };
  expect(found(`${inputsHash}1234.${position}`)).toMatchObject({ id: 'a' });
  expect(found(`${inputsHash}1234.${position}`, false)).toBeUndefined();
  expect(found(`${inputsHash}1234.${position + 1}`)).toBeUndefined();
  expect(found(`0${inputsHash}.${position}`)).toBeUndefined();
});
