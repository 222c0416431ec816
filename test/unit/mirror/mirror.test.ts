import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, test } from 'vitest';
import type { MirrorImage } from '../../../src/mirror/formats.ts';
import { openPackFolder } from '../../../src/mirror/pack-folder.ts';
import { hash } from '../../../src/shared/hash.ts';
import {
  filesIn,
  indexFile,
  packsOf,
  pathsFile,
  rewriteIndex,
} from '../../helpers/mirror-folder.ts';
import { addArticle, articleOf, commit, createTemporaryMirror } from './temporary-mirror.ts';

let folder: Awaited<ReturnType<typeof createTemporaryMirror>>;
beforeEach(async () => {
  folder = await createTemporaryMirror();
});

const imageOf = (url: string, bytes: Buffer): MirrorImage => ({
  ...{ url, file: `${hash(bytes)}.png`, bytes: bytes.length, pixels: 1, freshUntil: 1 },
});
const imagesOf = (...images: MirrorImage[]) => new Map(images.map((image) => [image.url, image]));

describe('a mirror', () => {
  it('has a folder of its own for each service and each collection', () => {
    const collections = ['articles', '../articles', 'a/b', 'a-b', 'a b', '..'];
    const folders = collections.map((collection) => folder.open({ collection }).folder);
    const other = folder.open({ baseUrl: 'https://other.example/' }).folder;
    expect(new Set([...folders, other]).size).toBe(collections.length + 1);
    for (const path of [...folders, other]) expect(dirname(path)).toBe(folder.parent);
    const name = basename(folder.open({ collection: 'a_1/../b-é c' }).folder);
    expect(name).toMatch(/^a_1-b--c-[0-9a-f]{12}$/);
    expect(basename(folders[2] ?? '')).toMatch(/^a-b-[0-9a-f]{12}$/);
  });

  it('changes nothing on disk before its first commit', async () => {
    const mirror = folder.open();
    expect(mirror.index).toMatchObject({ older: 0, articles: [], unlisted: [] });
    expect(mirror.isEmpty).toBe(true);
    addArticle(mirror, 'a', 'x');
    expect(await filesIn(folder.parent)).toEqual(new Map());
    mirror.close();
  });
});

describe('images', () => {
  const [first, second] = [Buffer.from('first'), Buffer.from('second')];
  const names = () => readdirSync(join(folder.folder, 'images'));

  it('exist with their bytes, and are written once', async () => {
    const mirror = folder.open();
    const image = imageOf('u', first);
    expect(mirror.hasImage(image)).toBe(false);
    expect(mirror.writeImage(first, 'png')).toBe(image.file);
    const path = join(mirror.imageFolder, image.file);
    for (const corrupt of ['firs', '\0'.repeat(first.length)]) {
      await writeFile(path, corrupt);
      expect(mirror.hasImage(image)).toBe(false);
      mirror.writeImage(first, 'png');
      expect(await readFile(path)).toEqual(first);
    }
  });

  it('are read again once other bytes of the same length are written', async () => {
    const mirror = folder.open();
    const image = imageOf('u', first);
    mirror.writeImage(first, 'png');
    expect(mirror.hasImage(image)).toBe(true);
    const path = join(mirror.imageFolder, image.file);
    await writeFile(path, '\0'.repeat(first.length));
    await utimes(path, 1, 1);
    expect(mirror.hasImage(image)).toBe(false);
  });

  it('stay for one load more than the index names them', () => {
    const mirror = folder.open();
    for (const bytes of [first, second]) mirror.writeImage(bytes, 'png');
    commit(mirror, [], { images: imagesOf(imageOf('1', first), imageOf('2', second)) });
    const other = folder.open();
    commit(other, [], { images: imagesOf(imageOf('1', first)) });
    expect(names()).toHaveLength(2);
    // Of the process, not only of its own last index.
    commit(mirror, [], { images: imagesOf(imageOf('1', first)) });
    expect(names()).toEqual([imageOf('1', first).file]);
    commit(folder.open(), []);
    expect(names()).toEqual([imageOf('1', first).file]);
    commit(folder.open(), [], { images: imagesOf(imageOf('1', first)) });
    expect(names()).toEqual([imageOf('1', first).file]);
    for (let times = 0; times < 2; times++) commit(folder.open(), []);
    expect(names()).toEqual([]);
  });

  it('are in the order of their URLs by code units, and not of a locale', () => {
    const urls = ['z', 'a', 'Z', 'ä'];
    const images = imagesOf(...urls.map((url) => imageOf(url, first)));
    commit(folder.open(), [], { images });
    expect([...folder.open().index.images.keys()]).toEqual(['Z', 'a', 'z', 'ä']);
  });

  it('stay if another process has just replaced the index with one that names them', () => {
    const images = imagesOf(imageOf('1', first));
    const other = folder.open();
    // The index that the commit replaces no longer names the image, so the commit may remove it.
    for (const each of [images, imagesOf()]) commit(folder.open(), [], { images: each });
    let isWritten = false;
    folder.disturb(
      ({ name, path }) => {
        if (isWritten) {
          other.writeImage(first, 'png');
          commit(other, [], { images });
        }
        isWritten = name === 'renameSync' && path.includes('index.json');
        return undefined;
      },
      () => commit(folder.open(), []),
    );
    expect(names()).toEqual([imageOf('1', first).file]);
  });
});

test.each([
  [{ keepsDate: true }, 1],
  [{ keepsDate: false }, 2],
])(
  'a commit of a new date alone, with %j, adds to the history of paths, and has the date %i',
  (options, date) => {
    const first = folder.open();
    const next = { older: 0, unlisted: [], gone: [], built: [], images: new Map() };
    const articles = [addArticle(first, 'a', 'text')];
    first.commit({ ...next, articles, syncedAt: 1 }, new Map());
    const paths = new Map([['a', new Map([['0 former', 1]])]]);
    folder.open().commit({ ...next, articles, syncedAt: 2 }, paths, options);
    const later = folder.open();
    expect(later.paths).toEqual(paths);
    expect(later.index.syncedAt).toBe(date);
  },
);

test('does not change the targets of links that have the names of files of the mirror', async () => {
  const target = join(folder.parent, 'target');
  await writeFile(target, 'mine');
  const bytes = Buffer.from('image');
  const image = imageOf('u', bytes);
  for (const link of [
    join(folder.folder, `${hash('x')}.pack`),
    join(folder.folder, 'images', image.file),
    join(folder.folder, 'index.broken.json'),
  ]) {
    await mkdir(dirname(link), { recursive: true });
    await symlink(target, link);
  }
  await writeFile(indexFile(folder.folder), 'broken');
  const mirror = folder.open();
  expect(mirror.hasImage(image)).toBe(false);
  mirror.writeImage(bytes, 'png');
  expect(mirror.hasImage(image)).toBe(true);
  for (const text of ['first', 'second']) {
    commit(mirror, [addArticle(mirror, 'a', text)], { images: imagesOf(image) });
  }
  for (let load = 0; load < 2; load++) commit(folder.open(), []);
  expect(await readFile(target, 'utf8')).toBe('mine');
  expect(await readFile(join(folder.folder, 'index.broken.json'), 'utf8')).toBe('broken');
});

test('files that the package did not write stay, byte by byte, in any commit', async () => {
  const name = hash('x');
  const foreign = [
    ...[
      'index.json.orig',
      'index.json.tmp',
      'notes.tmp',
      '.gitignore',
      'slugs.csv',
      '.gitattributes',
    ],
    ...['my notes.pack', `${name}.pack.bak`, `${name.toUpperCase()}.pack`, `${name}.pack`],
    ...[`index.json.${crypto.randomUUID()}.tmp`, `nested/${name}.pack`, 'articles/README.md'],
    ...['images/my-photo.jpg', `images/${name}.jpeg`, `images/${name}.txt`, 'images/.gitkeep'],
  ].map((each) => join(folder.folder, each));
  for (const path of foreign) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `not of this package: ${path}`);
  }
  for (const text of ['first', 'second', 'third']) {
    const mirror = folder.open();
    mirror.writeImage(Buffer.from(text), 'png');
    commit(mirror, [addArticle(mirror, 'a', text)]);
    mirror.writePaths(new Map([['a', new Map([[text, 1]])]]));
  }
  for (const path of foreign) {
    expect(await readFile(path, 'utf8')).toBe(`not of this package: ${path}`);
  }
});

describe('an index', () => {
  beforeEach(() => {
    const mirror = folder.open();
    commit(mirror, [addArticle(mirror, 'a', 'first')]);
  });

  it.each([
    ['is cut off', (text: string) => text.slice(0, -20)],
    ['has no index', (text: string) => text.replace(/,\s*"index":.*/s, '}')],
    ['is empty', () => ''],
    ['has another title', (text: string) => text.replace(/"title": "./, '"title": "X')],
    ['has a conflict of Git', (text: string) => `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> x\n`],
    ['is of a newer format', (text: string) => text.replace(/"version": \d+/, '"version": 99')],
    [
      'has an article twice',
      (text: string) => text.replace(/("articles": \[)(.*?)\n {2}\]/s, '$1$2,$2]'),
    ],
  ])('that %s is not used, and is set aside by the next commit', async (_, change) => {
    const path = indexFile(folder.folder);
    const changed = change(await readFile(path, 'utf8'));
    await writeFile(path, changed);
    const files = await filesIn(folder.folder);
    const mirror = folder.open();
    expect(mirror.index.articles).toEqual([]);
    expect(mirror.isEmpty).toBe(true);
    expect(mirror.notices.join()).toMatch(new RegExp(`${path}.*index.broken.json`));
    expect(await filesIn(folder.folder)).toEqual(files);
    // The texts are still there.
    const article = addArticle(mirror, 'a', 'first');
    commit(mirror, [article]);
    expect(await readFile(join(folder.folder, 'index.broken.json'), 'utf8')).toBe(changed);
    expect(await packsOf(folder.folder)).toHaveLength(1);
    const next = folder.open();
    expect(next.notices).toEqual([]);
    expect(next.readArticle(article.record)).toEqual(articleOf('a', 'first'));
  });

  it.each([
    ['the line ends of Windows', (text: string) => text.replaceAll('\n', '\r\n')],
    ['the spaces of a formatter', (text: string) => JSON.stringify(JSON.parse(text), null, 4)],
  ])('with %s is used', async (_, change) => {
    const path = indexFile(folder.folder);
    await writeFile(path, change(await readFile(path, 'utf8')));
    const mirror = folder.open();
    expect(mirror.notices).toEqual([]);
    expect(mirror.index.articles).toHaveLength(1);
  });

  it.each(['[]\n', '{"name":"x"}', 'null', '1', '"text"', '{"articles":[]}'])(
    'that is JSON of another program is an error, and stays: %s',
    async (text) => {
      const path = indexFile(folder.folder);
      const running = folder.open();
      await writeFile(path, text);
      const files = await filesIn(folder.folder);
      for (const act of [() => folder.open(), () => commit(running, [])]) {
        expect(act).toThrow(
          expect.objectContaining({
            code: 'mirror-unwritable',
            message: expect.stringContaining(path),
            hint: expect.stringContaining('Move this file'),
          }),
        );
      }
      expect(await filesIn(folder.folder)).toEqual(files);
    },
  );

  it.each([
    ['a folder', (path: string) => mkdir(path)],
    ['a link', (path: string) => symlink('elsewhere.json', path)],
  ])('that is %s is an error, and stays', async (_, make) => {
    for (const path of [indexFile(folder.folder), pathsFile(folder.folder)]) {
      const bytes = await readFile(path);
      await rm(path);
      await make(path);
      expect(() => folder.open()).toThrow(path);
      await rm(path, { recursive: true });
      await writeFile(path, bytes);
    }
    expect(folder.open().index.articles).toHaveLength(1);
  });

  const image = imageOf('u', Buffer.from('x'));
  it.each<[string, object, object?]>([
    ['record', {}, { record: '../../secret' }],
    ['rendering', {}, { renderings: [{ name: '../x', images: [], dropped: [] }] }],
    ['image', { images: [{ ...image, file: '../../secret.png' }] }],
    ['pack', { packs: ['../x.pack'] }],
    ['text', { inputs: '../x' }],
  ])('that names a %s outside the mirror is not used: %j %j', async (_, fields, ofArticle = {}) => {
    await rewriteIndex(folder.folder, (index) => {
      Object.assign(index, fields);
      Object.assign(index.articles[0] ?? {}, ofArticle);
    });
    const { index, notices } = folder.open();
    expect(notices.join()).toContain(indexFile(folder.folder));
    expect(index.articles).toEqual([]);
  });

  it('that names a record that does not exist is used', async () => {
    await rewriteIndex(folder.folder, ({ articles: [article] }) => {
      Object.assign(article ?? {}, { record: hash('of no record') });
    });
    const { index, notices, readArticle } = folder.open();
    expect(notices).toEqual([]);
    expect(index.articles.map(({ record }) => readArticle(record))).toEqual([undefined]);
  });
});

describe('records with the right hash', () => {
  function readText(text: string) {
    const records = openPackFolder(folder.folder);
    records.write(text);
    records.packAndCompact(new Set());
    records.close();
    return folder.open().readArticle(hash(text));
  }
  const withExtra = (extra: string) =>
    `{"id":"1","title":"t","content":"c","cover_image":null,"extra":${extra}}`;

  it.each([
    ['not articles', '{"id":1}'],
    [
      'nested thousands of levels deep',
      withExtra(`{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}`),
    ],
  ])('that are %s are not articles', (_, text) => {
    expect(readText(text)).toBeUndefined();
  });

  it('reach no prototype', () => {
    const article = readText(withExtra('{"a":{"__proto__":{"b":1},"constructor":2,"c":3}}'));
    expect(JSON.stringify(article?.extra)).toBe('{"a":{"c":3}}');
  });
});

test('an index that the next load could not read is not written', () => {
  const mirror = folder.open();
  commit(mirror, [addArticle(mirror, 'a', 'first')]);
  const before = readFileSync(indexFile(folder.folder), 'utf8');
  const wrong = { ...addArticle(mirror, 'a', 'second'), cover: 7 as unknown as string };
  expect(() => commit(mirror, [wrong])).toThrow('the next load could not read it');
  expect(readFileSync(indexFile(folder.folder), 'utf8')).toBe(before);
  expect(folder.open().notices).toEqual([]);
});

test('a mirror that keeps records in memory writes none, however many there are', () => {
  const mirror = folder.open();
  mirror.keepInMemory();
  const texts = Array.from({ length: 3 }, () => randomBytes(6_000_000).toString('base64'));
  const records = texts.map((text) => mirror.writeText(text));
  expect(records.map((record) => mirror.readText(record))).toEqual(texts);
  expect(existsSync(folder.folder)).toBe(false);
});
