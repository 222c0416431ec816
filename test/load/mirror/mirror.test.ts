import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packArticle, type StoredArticle } from '../../../src/mirror/article-file.ts';
import type { MirrorArticle, MirrorIndex } from '../../../src/mirror/index-file.ts';
import { type Mirror, openMirror } from '../../../src/mirror/mirror.ts';

const source = 'https://app.example.com/';
const day = 86_400_000;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mirror-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (from = source) => openMirror(folder, { source: from, date: () => Date.now() });

async function write(mirror: Mirror, article: StoredArticle): Promise<string> {
  const packed = packArticle({ ...article, cover_image: null });
  await mirror.writeArticle(packed);
  return packed.object;
}

async function addTo(mirror: Mirror, id: string, content: string): Promise<MirrorArticle> {
  const object = await write(mirror, { id, title: `Title of ${id}`, content, extra: {} });
  return { id, title: `Title of ${id}`, digest: content, object, cover: null, draft: false };
}

async function commit(mirror: Mirror, articles: MirrorArticle[]): Promise<MirrorIndex> {
  const index = { source, articles, images: new Map(), syncedAt: 1 };
  await mirror.commit(index);
  return index;
}

describe('a mirror', () => {
  it('gives back what was committed, whatever the texts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), {
          noNullPrototype: true,
        }),
        fc.jsonValue(),
        async (texts, extra) => {
          const mirror = await open();
          const articles: MirrorArticle[] = [];
          for (const [id, content] of Object.entries(texts)) {
            const object = await write(mirror, { id, title: '', content, extra: { extra } });
            articles.push({ id, title: '', digest: 'd', object, cover: content, draft: true });
          }
          const index = await commit(mirror, articles);
          const again = await open();
          expect(again.index).toEqual(index);
          for (const { id, object } of articles) {
            const { content } = await again.readArticle(object);
            expect(content.isWellFormed() ? content : texts[id]).toBe(texts[id]);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('shows nothing of what was not committed', async () => {
    const before = await commit(await open(), [await addTo(await open(), 'a', 'first')]);
    await addTo(await open(), 'a', 'second');
    expect((await open()).index).toEqual(before);
  });

  it('writes only the index when nothing else changed', async () => {
    const mirror = await open();
    const article = await addTo(mirror, 'a', 'first');
    await commit(mirror, [article]);
    const [file = ''] = await readdir(join(folder, 'articles'));
    await utimes(join(folder, 'articles', file), new Date(0), new Date(0));
    await commit(await open(), [article]);
    expect(await readdir(join(folder, 'articles'))).toEqual([file]);
  });

  it('clears away what no index names, once another build cannot need it any more', async () => {
    const mirror = await open();
    const kept = await addTo(mirror, 'a', 'kept');
    const old = await addTo(mirror, 'b', 'old');
    const young = await addTo(mirror, 'c', 'young');
    const past = new Date(Date.now() - day);
    for (const { object } of [kept, old]) {
      await utimes(join(folder, 'articles', `${object}.json`), past, past);
    }
    await commit(mirror, [kept]);
    const left = [kept, young].map(({ object }) => `${object}.json`).toSorted();
    expect((await readdir(join(folder, 'articles'))).toSorted()).toEqual(left);
  });

  it('lets the last of two builds win, whole', async () => {
    const [one, two] = [await open(), await open()];
    const a = await addTo(one, 'a', 'from one');
    const b = await addTo(two, 'b', 'from two');
    await Promise.all([commit(one, [a]), commit(two, [b])]);
    const { index, readArticle } = await open();
    expect(index.articles).toHaveLength(1);
    for (const { object, digest } of index.articles) {
      expect((await readArticle(object)).content).toBe(digest);
    }
  });
});

describe('a mirror that cannot be used', () => {
  const indexFile = () => join(folder, 'index.json');

  it.each([
    ['is cut off', (text: string) => text.slice(0, -20), 'its index is damaged'],
    ['is empty', () => '', 'its index is damaged'],
    ['has a bit flipped', (text: string) => text.replace('Title', 'Titel'), 'its index is damaged'],
    [
      'is of a newer format',
      (text: string) => text.replace('"version":1', '"version":99'),
      'its format is version 99, not 1',
    ],
  ])('since its index %s is set aside, and counts as empty', async (_, damage, reason) => {
    const mirror = await open();
    await commit(mirror, [await addTo(mirror, 'a', 'first')]);
    await writeFile(indexFile(), damage(await readFile(indexFile(), 'utf8')));
    const { index, notice } = await open();
    expect(index.articles).toEqual([]);
    expect(notice).toContain(reason);
    expect(await readdir(folder)).toContain('index.json.aside');
    expect((await open()).notice).toBeUndefined();
  });

  it('since it is of another service counts as empty, but stays until the next commit', async () => {
    const mirror = await open();
    await commit(mirror, [await addTo(mirror, 'a', 'first')]);
    const other = await open('https://other.example/');
    expect(other.index.articles).toEqual([]);
    expect(other.notice).toContain(source);
    expect((await open()).index.articles).toHaveLength(1);
  });

  it('since a text was changed says so, and forgets the file', async () => {
    const mirror = await open();
    const { object } = await addTo(mirror, 'a', 'first');
    await writeFile(join(folder, 'articles', `${object}.json`), '{"content":"other"}');
    await expect(mirror.readArticle(object)).rejects.toMatchObject({ code: 'mirror-damaged' });
    expect(mirror.hasArticle(object)).toBe(false);
    expect(await readdir(join(folder, 'articles'))).toEqual([]);

    // The sync that repairs it may be of the same process.
    const again = await addTo(mirror, 'a', 'first');
    expect(await mirror.readArticle(again.object)).toMatchObject({ content: 'first' });
  });
});

it('leaves a file that it no longer names to others for a while, however old it is', async () => {
  const mirror = await open();
  const old = await addTo(mirror, 'a', 'old');
  await commit(mirror, [old]);
  const past = new Date(Date.now() - day);
  await utimes(join(folder, 'articles', `${old.object}.json`), past, past);
  await commit(mirror, [await addTo(mirror, 'a', 'new')]);
  expect(await readdir(join(folder, 'articles'))).toContain(`${old.object}.json`);
});
