import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type { IndexedArticle } from '../../../src/mirror/index-file.ts';
import { openPackFolder } from '../../../src/mirror/pack-folder.ts';
import { hash } from '../../../src/shared/hash.ts';
import { corrupt, filesOf, recordsOf } from '../../helpers/mirror-folder.ts';
import {
  addArticle,
  articleOf,
  commit,
  createTemporaryMirror,
  day,
  filesIn,
  hour,
  indexOf,
  setAge,
} from './temporary-mirror.ts';

let folder: Awaited<ReturnType<typeof createTemporaryMirror>>;
beforeEach(async () => {
  folder = await createTemporaryMirror();
});
afterEach(() => folder.remove());

const packs = () => filesOf(folder.paths.folder, 'articles');

describe('a mirror', () => {
  it('returns what was committed, with any texts', async () => {
    const texts = fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), {
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(texts, fc.jsonValue(), async (contents, extra) => {
        const mirror = await folder.open();
        const articles: IndexedArticle[] = [];
        for (const [id, content] of Object.entries(contents)) {
          const object = await mirror.writeArticle({ ...articleOf(id, content), extra: { extra } });
          articles.push({ id, title: content, digest: 'd', object, cover: content, draft: true });
        }
        const slugHistory = new Map(articles.map(({ id, title }) => [id, [title]]));
        await commit(mirror, articles, { slugHistory });
        const again = await folder.open();
        // Slugs that an earlier commit has written stay.
        const { slugHistory: all } = again.index;
        expect(again.index).toEqual(indexOf(articles, { slugHistory: all }));
        for (const { id, title } of articles) expect(all.get(id)).toContain(title);
        expect(all.size).toBe(articles.length);
        for (const { id, object } of articles) {
          const { content } = (await again.readArticle(object)) ?? {};
          expect(content?.isWellFormed() ? content : contents[id]).toBe(contents[id]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('keeps what another process has committed, when a build adds its slugs', async () => {
    const ofBuild = await folder.open();
    await commit(ofBuild, [await addArticle(ofBuild, 'old', 'x')]);
    const ofSync = await folder.open();
    await commit(ofSync, [await addArticle(ofSync, 'new', 'x')]);
    await ofBuild.addSlugs(new Map([['new', ['slug']]]));
    const { articles, slugHistory } = (await folder.open()).index;
    expect(articles.map(({ id }) => id)).toEqual(['new']);
    expect(slugHistory.get('new')).toEqual(['slug']);
  });

  it('writes the same bytes for equal states in any order', async () => {
    const mirror = await folder.open();
    const article = await addArticle(mirror, 'a', 'first');
    const image = (url: string) => ({
      url,
      file: `${hash(url)}.png`,
      bytes: 1,
      pixels: 1,
      freshUntil: 1,
    });
    const urls = ['https://b.example/', 'https://a.example/'];
    const state = (order: string[]) => ({
      images: new Map(order.map((url) => [url, image(url)])),
      slugHistory: new Map(order.map((url) => [url, [url]])),
    });
    await commit(mirror, [article], state(urls));
    const bytes = await readFile(folder.paths.indexFile);
    await commit(mirror, [article], state(urls.toReversed()));
    expect(await readFile(folder.paths.indexFile)).toEqual(bytes);
  });

  it('contains only committed articles', async () => {
    const mirror = await folder.open();
    await commit(mirror, [await addArticle(mirror, 'a', 'first')]);
    await addArticle(mirror, 'a', 'second');
    expect((await folder.open()).index).toEqual(mirror.index);
  });

  it('is consistent after two builds have committed at the same time', async () => {
    const [one, two] = [await folder.open(), await folder.open()];
    const articles = [
      await addArticle(one, 'a', 'from one'),
      await addArticle(two, 'b', 'from two'),
    ];
    await Promise.all(
      [one, two].map((mirror, place) => commit(mirror, articles.slice(place, place + 1))),
    );
    const { index, readArticle } = await folder.open();
    expect(index.articles).toHaveLength(1);
    for (const { object, digest } of index.articles) {
      expect((await readArticle(object))?.content).toBe(digest);
    }
  });

  it('finds renderings by their key, and not those that are corrupt', async () => {
    const mirror = await folder.open();
    const [key, other] = [hash('key'), hash('other')];
    const contentHash = await mirror.writeRendering(key, { html: '<p>1' });
    await mirror.writeRendering(other, { html: '<p>2' });
    await mirror.flush();
    const again = await folder.open();
    expect(again.findRendering(key)).toBe(contentHash);
    expect(await again.readRendering(key)).toEqual({ html: '<p>1' });
    const [path = ''] = await filesIn(folder.paths.renderings).then((files) => [...files.keys()]);
    await corrupt(recordsOf([path]).filter(({ name }) => name.startsWith(key)));
    expect(await again.readRendering(key)).toBeUndefined();
    expect(again.findRendering(key)).toBeUndefined();
    expect(await again.writeRendering(key, { html: '<p>1' })).toBe(contentHash);
    await again.flush();
    expect(await (await folder.open()).readRendering(key)).toEqual({ html: '<p>1' });
  });
});

describe('an index that cannot be used', () => {
  it.each([
    ['is cut off', (text: string) => text.slice(0, -20), 'its index is corrupt'],
    ['lacks its last line', (text: string) => text.replace(/.*\n$/, ''), 'its index is corrupt'],
    ['is empty', () => '', 'its index is corrupt'],
    ['consists of zeros', (text: string) => '\0'.repeat(text.length), 'its index is corrupt'],
    [
      'begins with zeros',
      (text: string) => text.replace(/^.{99}/s, '\0'.repeat(99)),
      'its index is corrupt',
    ],
    [
      'has a changed byte',
      (text: string) => text.replace('Title', 'Titel'),
      'its index is corrupt',
    ],
    ['has a conflict of Git', (text: string) => `<<<<<<< HEAD\n${text}`, 'its index is corrupt'],
    [
      'is of a newer format',
      (text: string) => text.replace('"version":4', '"version":99'),
      'its format is version 99, not 4',
    ],
  ])('counts as empty and is unchanged when it %s', async (_, change, reason) => {
    const mirror = await folder.open();
    await commit(mirror, [await addArticle(mirror, 'a', 'first')]);
    await writeFile(folder.paths.indexFile, change(await readFile(folder.paths.indexFile, 'utf8')));
    const files = await filesIn(folder.parent);
    const { index, notice } = await folder.open();
    expect(index).toEqual(indexOf([], { syncedAt: 0 }));
    expect(notice).toContain(reason);
    expect(await filesIn(folder.parent)).toEqual(files);
  });
});

describe('files of the user', () => {
  it.each(['first', 'later'])(
    'are unchanged in every folder of the mirror by a %s load, however old they are',
    async (load) => {
      const mirror = await folder.open();
      if (load === 'later') await commit(mirror, [await addArticle(mirror, 'a', 'first')]);
      const { articles, images, renderings } = folder.paths;
      const foreign = [
        join(folder.paths.folder, 'notes.txt'),
        join(folder.paths.folder, 'index.json.tmp'),
        join(images, 'my-photo.jpg'),
        join(images, `${hash('x')}.jpeg`),
        join(images, `${hash('x')}.json`),
        join(articles, 'draft.pack'),
        join(articles, `${hash('x')}.pack.bak`),
        join(articles, `${hash('x').toUpperCase()}.pack`),
        join(renderings, `${hash('x')}.json`),
        join(dirname(folder.paths.folder), 'articles', 'images', 'my-photo.jpg'),
      ];
      for (const path of foreign) {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, 'mine');
        await setAge(path, 365 * day);
      }
      const again = await folder.open();
      await commit(again, [await addArticle(again, 'a', 'second')]);
      for (const path of foreign) expect(await readFile(path, 'utf8'), path).toBe('mine');
    },
  );

  it('make a folder unusable if they have the name of the index', async () => {
    const path = folder.paths.indexFile;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '{"mine":1}');
    await expect(folder.open()).rejects.toMatchObject({
      code: 'mirror-unwritable',
      message: expect.stringContaining(`${path} is a file of another program`),
      hint: expect.stringContaining('`mirrorDir`'),
    });
    expect(await readFile(path, 'utf8')).toBe('{"mine":1}');
  });

  it('that are hidden, or next to the mirror, change nothing', async () => {
    await mkdir(folder.paths.images, { recursive: true });
    await writeFile(join(folder.paths.images, '.DS_Store'), 'x');
    await writeFile(join(folder.paths.folder, '.gitattributes'), '# mine');
    await writeFile(join(folder.parent, 'README.md'), 'mine');
    const mirror = await folder.open();
    await commit(mirror, []);
    expect(await readFile(join(folder.paths.folder, '.gitattributes'), 'utf8')).toBe('# mine');
  });

  it('that links lead to are unchanged, though the links have names of its files', async () => {
    const target = join(folder.parent, 'target');
    await writeFile(target, 'mine');
    await setAge(target, day);
    const { mtimeMs } = await stat(target);
    const image = Buffer.from('image');
    for (const link of [
      join(folder.paths.articles, `${hash('x')}.pack`),
      join(folder.paths.images, `${hash(image)}.png`),
      folder.paths.verifiedFile,
    ]) {
      await mkdir(dirname(link), { recursive: true });
      await symlink(target, link);
    }
    const mirror = await folder.open();
    const listed = { file: `${hash(image)}.png`, bytes: image.length };
    expect(await mirror.hasImage(listed)).toBe(false);
    expect(await mirror.hasImage({ ...listed, bytes: 'mine'.length })).toBe(false);
    const file = await mirror.writeImage(image, 'png');
    expect(await mirror.hasImage(listed)).toBe(true);
    const images = new Map([['u', { url: 'u', ...listed, file, pixels: 1, freshUntil: 1 }]]);
    for (const text of ['first', 'second']) {
      await commit(mirror, [await addArticle(mirror, 'a', text)], { images });
    }
    await commit(await folder.open(), []);
    expect(await readFile(target, 'utf8')).toBe('mine');
    expect((await stat(target)).mtimeMs).toBe(mtimeMs);
  });
});

describe('clean-up', () => {
  it('keeps packs for an hour after the index stopped needing them, however old they are', async () => {
    const mirror = await folder.open();
    await commit(mirror, [await addArticle(mirror, 'a', 'old')]);
    const [old = ''] = await packs();
    await setAge(old, day);
    const current = await addArticle(mirror, 'a', 'new');
    await commit(mirror, [current]);
    expect(await packs()).toHaveLength(2);
    await setAge(old, 2 * hour);
    await commit(await folder.open(), [current]);
    expect(await packs()).toHaveLength(1);
    expect(await packs()).not.toContain(old);
  });

  it('restarts the grace period of a pack when one of its articles is written again', async () => {
    const mirror = await folder.open();
    await addArticle(mirror, 'a', 'text');
    await mirror.flush();
    const [pack = ''] = await packs();
    await setAge(pack, day);
    await addArticle(await folder.open(), 'a', 'text');
    await commit(await folder.open(), []);
    expect(await packs()).toEqual([pack]);
  });

  it('keeps renderings for a week after they were last used', async () => {
    const paths: string[] = [];
    for (const [name, age] of [
      ['used', 8 * day],
      ['unused', 8 * day],
      ['recent', 6 * day],
    ] as const) {
      const mirror = await folder.open();
      await mirror.writeRendering(hash(name), { name });
      await mirror.flush();
      const all = await filesIn(folder.paths.renderings);
      const added = [...all.keys()].find((path) => !paths.includes(path)) ?? '';
      paths.push(added);
      await setAge(added, age);
    }
    const [used, , recent] = paths;
    const again = await folder.open();
    await again.commit(indexOf([]), { renderings: [hash('used'), hash('unknown')] });
    const left = [used, recent].toSorted();
    expect([...(await filesIn(folder.paths.renderings)).keys()]).toEqual(left);
    // The load used it now, so a load with other renderings keeps it.
    await (await folder.open()).commit(indexOf([]), { renderings: [] });
    expect([...(await filesIn(folder.paths.renderings)).keys()]).toEqual(left);
  });

  it('removes temporary files of processes that were killed', async () => {
    const mirror = await folder.open();
    await commit(mirror, []);
    const create = async (age: number) => {
      const path = join(folder.paths.folder, `index.json.${crypto.randomUUID()}.tmp`);
      await writeFile(path, 'half');
      await setAge(path, age);
      return basename(path);
    };
    await create(2 * hour);
    const young = await create(hour / 2);
    await commit(await folder.open(), []);
    const left = (await readdir(folder.paths.folder)).filter((name) => name.endsWith('.tmp'));
    expect(left).toEqual([young]);
  });
});

describe('corrupt files', () => {
  async function readText(text: string) {
    const records = openPackFolder(folder.paths.articles, { date: Date.now });
    await records.write(hash(text), text);
    await records.flush();
    return (await folder.open()).readArticle(hash(text));
  }
  const withExtra = (extra: string) => `{"id":"1","title":"t","content":"c","extra":${extra}}`;

  it.each([
    ['not articles', '{"id":1}'],
    [
      'nested thousands of levels deep',
      withExtra(`{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}`),
    ],
  ])('with the right hash that are %s are not articles', async (_, text) => {
    expect(await readText(text)).toBeUndefined();
  });

  it('with the right hash reach no prototype', async () => {
    const article = await readText(withExtra('{"a":{"__proto__":{"b":1},"constructor":2,"c":3}}'));
    expect(JSON.stringify(article?.extra)).toBe('{"a":{"c":3}}');
  });

  it('a cover that changed without changing its size is not an image of the mirror', async () => {
    const mirror = await folder.open();
    const file = await mirror.writeImage(Buffer.from('image'), 'png');
    const image = { url: 'https://a.example/', file, bytes: 5, pixels: 1, freshUntil: 1 };
    const images = new Map([[image.url, image]]);
    expect(await mirror.hasImage(image)).toBe(true);
    await commit(mirror, [], { images });
    const path = join(folder.paths.images, file);
    await writeFile(path, 'imaqe');
    await setAge(path, hour);
    const again = await folder.open();
    expect(await again.hasImage(image)).toBe(false);
    await again.writeImage(Buffer.from('image'), 'png');
    expect(await again.hasImage(image)).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('image');
  });

  it.each(['not json', '[]', '{"a":1}'])(
    'a record of verified images that is %s is ignored',
    async (text) => {
      const mirror = await folder.open();
      const file = await mirror.writeImage(Buffer.from('image'), 'png');
      await mkdir(dirname(folder.paths.verifiedFile), { recursive: true });
      await writeFile(folder.paths.verifiedFile, text);
      expect(await (await folder.open()).hasImage({ file, bytes: 5 })).toBe(true);
    },
  );
});

test('the mirrors of two services are in two folders, and neither touches the other', async () => {
  const staging = { source: 'https://staging.example.com/' };
  const production = await folder.open();
  await commit(production, [await addArticle(production, 'a', 'production')]);
  const files = await filesIn(production.folder);
  for (const path of files.keys()) await setAge(path, 365 * day);
  const other = await folder.open(staging);
  expect(other.index.syncedAt).toBe(0);
  expect(other.notice).toBeUndefined();
  await other.commit(indexOf([await addArticle(other, 'a', 'staging')], staging), {
    renderings: [],
  });
  expect(await filesIn(production.folder)).toEqual(files);
  expect((await folder.open()).index).toEqual(production.index);
  expect((await folder.open(staging)).index).toEqual(other.index);
});

test('a collection whose name is not a plain word has a folder of its own', async () => {
  const names = ['articles', '../articles', 'a/b', 'a-b', 'a b', '..'];
  const folders = await Promise.all(
    names.map(async (collection) => (await folder.open({ collection })).folder),
  );
  expect(new Set(folders).size).toBe(names.length);
  for (const path of folders) expect(dirname(path)).toBe(folder.parent);
});

test('a mirror that Git has checked out with CRLF is the same', async () => {
  const mirror = await folder.open();
  const article = await addArticle(mirror, 'a', 'one\r\ntwo\nthree');
  await commit(mirror, [{ ...article, title: 'a\r\nb\nc' }]);
  const text = await readFile(folder.paths.indexFile, 'utf8');
  await writeFile(folder.paths.indexFile, text.replaceAll('\n', '\r\n'));
  // Git leaves a file unchanged that has a zero in its first 8,000 bytes.
  const [pack = ''] = await packs();
  expect((await readFile(pack)).subarray(0, 8_000)).toContain(0);
  const again = await folder.open();
  expect(again.notice).toBeUndefined();
  expect(again.index).toEqual(mirror.index);
  expect(await again.readArticle(article.object)).toMatchObject({ content: 'one\r\ntwo\nthree' });
});

describe('an index that names files outside the mirror', () => {
  const article = {
    id: 'a',
    title: 't',
    digest: 'd',
    object: hash('x'),
    cover: null,
    draft: false,
  };
  const image = { url: 'u', file: `${hash('x')}.png`, bytes: 1, pixels: 1, freshUntil: 1 };

  it.each([
    ['object', indexOf([{ ...article, object: '../../secret' }])],
    ['object', indexOf([{ ...article, object: `${hash('x')}/../x` }])],
    ['object', indexOf([{ ...article, object: `${hash('x')}\n` }])],
    ['rendering', indexOf([{ ...article, rendering: { hash: '../x', images: [], dropped: [] } }])],
    ['file', indexOf([], { images: new Map([['u', { ...image, file: '../../secret.png' }]]) })],
    ['file', indexOf([], { images: new Map([['u', { ...image, file: `${hash('x')}.svg` }]]) })],
    ['file', indexOf([], { images: new Map([['u', { ...image, file: `${hash('x')}.js` }]]) })],
  ])('as %s counts as corrupt', async (_, index) => {
    const mirror = await folder.open();
    await mirror.commit(index, { renderings: [] });
    const again = await folder.open();
    expect(again.notice).toContain('its index is corrupt');
    expect(again.index.articles).toEqual([]);
  });

  it('cannot make the mirror read them', async () => {
    const mirror = await folder.open();
    await writeFile(join(folder.parent, 'secret.json'), '{}');
    expect(await mirror.readArticle('../../secret')).toBeUndefined();
    expect(await mirror.hasImage({ file: '../../secret.json', bytes: 2 })).toBe(false);
    expect(await mirror.readRendering('../../secret')).toBeUndefined();
  });
});
