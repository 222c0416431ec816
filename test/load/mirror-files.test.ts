import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import {
  age,
  corruptArticle,
  filesBelow,
  filesOf,
  findMirror,
  indexFile,
  readIndex,
  recordsOf,
  rewriteIndex,
} from '../helpers/mirror-folder.ts';
import { temporaryService } from '../helpers/use-service.ts';
import { importedFiles, key, useSite } from '../helpers/use-site.ts';

const cover = 'tides.jpg';
const site = useSite({
  articles: () => makeArticles(6, { cover, words: [20, 40] }),
  loaded: true,
});

async function write(path: string, text = 'not of this package'): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await age([path], 365 * 24);
  return path;
}

test.each([
  ['public', 'publicDir'],
  ['./public/articles', 'publicDir'],
  ['dist/mirror', 'outDir'],
  ['articles #1', '#'],
  ['what?', '?'],
])('`mirrorDir: %j` is refused before anything is written', async (mirrorDir, reason) => {
  const failure = await site.loadFails({ mirrorDir });
  expect(failure.code).toBe('invalid-options');
  expect(failure.message).toContain(reason);
  expect(await filesBelow(join(site.root, mirrorDir))).toEqual([]);
});

describe('files of the user', () => {
  const names = [
    'articles/images/my-photo.jpg',
    'articles/articles/notes.json',
    'articles/index.json.tmp',
    'articles/rendered/page.html',
    'images/my-photo.jpg',
    'README.md',
  ];

  test('are not removed from `mirrorDir`, however old they are', async () => {
    const files = names.map((name) => join(site.root, 'content', name));
    for (const file of files) await write(file);
    for (let build = 0; build < 2; build++) {
      await site.load({ mirrorDir: './content' });
      site.service.change(6, { content: 'changed' });
    }
    for (const file of files) expect(await readFile(file, 'utf8')).toBe('not of this package');
  });

  test('are not removed from the folder of the mirror itself', async () => {
    const mirror = await site.mirror();
    const name = 'a'.repeat(32);
    const files = [
      'images/my-photo.jpg',
      `images/${name}.jpeg`,
      `images/${name}.txt`,
      'images/.gitkeep',
      'articles/my notes.pack',
      'articles/README.md',
      `articles/${name}.pack.bak`,
      `articles/${name.toUpperCase()}.pack`,
      `articles/nested/${name}.pack`,
      `rendered/${name}.json`,
      'index.json.orig',
      'index.json.tmp',
      'notes.tmp',
      '.gitignore',
    ].map((name) => join(mirror, name));
    for (const file of files) await write(file);
    for (const { id } of site.service.articles) site.service.change(id, { content: `new ${id}` });
    await site.loadExactly();
    for (const file of files) expect(await readFile(file, 'utf8')).toBe('not of this package');
  });
});

describe('files of the mirror', () => {
  it('that the index needed until now have a grace period from now, however old they are', async () => {
    const mirror = await site.mirror();
    const before = await filesOf(mirror, 'articles');
    await age(before, 48);
    for (const { id } of site.service.articles) site.service.change(id, { content: `new ${id}` });
    await site.loadExactly();
    expect(await filesOf(mirror, 'articles')).toEqual(expect.arrayContaining(before));
  });

  test('that a killed process left are removed after the grace period', async () => {
    const mirror = await site.mirror();
    const [image = ''] = await filesOf(mirror, 'images');
    const [pack = ''] = await filesOf(mirror, 'articles');
    for (const path of [indexFile(mirror), image, pack]) {
      await write(`${path}.0f8fad5b-d9cb-469f-a165-70867728950e.tmp`);
    }
    const young = `index.json.${crypto.randomUUID()}.tmp`;
    await writeFile(join(mirror, young), 'of a process that may still run');
    await site.loadExactly();
    const names = await filesBelow(mirror);
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([young]);
  });

  test('with the same bytes as an image of the service are not written again', async () => {
    const [image = ''] = await filesOf(await site.mirror(), 'images');
    const before = await stat(image);
    site.service.change(6, { cover_image: `/media/${cover}?copy` });
    await site.loadExactly();
    const after = await stat(image);
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
  });

  test('with the line ends of Windows are used', async () => {
    const mirror = await site.mirror();
    for (const file of await filesBelow(mirror)) {
      if (!file.endsWith('.json')) continue;
      const text = await readFile(join(mirror, file), 'utf8');
      await writeFile(join(mirror, file), text.replaceAll('\n', '\r\n'));
    }
    // Git leaves a file unchanged that has a zero in its first 8,000 bytes.
    const [pack = ''] = await filesOf(mirror, 'articles');
    expect((await readFile(pack)).subarray(0, 8_000)).toContain(0);
    const offline = await site.load({ offline: true });
    expect(offline.failure).toBeUndefined();
    expect(offline.entries.size).toBe(6);
    site.service.clearRequests();
    const load = await site.loadExactly();
    expect(load.warnings).toEqual([]);
    expect(site.service.count('article')).toBe(0);
  });
});

describe('a file whose bytes were changed', () => {
  test('is never shown when it is a cover, though its size is the same, and is downloaded again', async () => {
    const [image = ''] = await filesOf(await site.mirror(), 'images');
    const whole = await readFile(image);
    await writeFile(image, Buffer.from(whole).fill(0, 1000, 3000));
    const offline = await site.load({ offline: true });
    expect(offline.failure).toBeUndefined();
    expect(offline.entries.get('6')?.data.cover_image ?? null).toBeNull();
    expect(offline.warnings.join('\n')).toContain(cover);
    const { failure, entries } = await site.load();
    expect(failure).toBeUndefined();
    const files = [...entries.values()].flatMap((entry) => importedFiles(site.root, entry));
    expect(files).toEqual(Array(6).fill(image));
    expect(await readFile(image)).toEqual(whole);
  });

  /** Loses what Astro and the mirror have made of the articles. */
  async function loseRenderings(): Promise<void> {
    await rm(join(site.root, 'cache/data-store.json'));
    await rm(join(await site.mirror(), 'rendered'), { recursive: true });
  }

  it('is fetched again where it has an article, and replaced by one with all texts that are intact', async () => {
    const mirror = await site.mirror();
    const before = await filesOf(mirror, 'articles');
    await corruptArticle(mirror, '3');
    await loseRenderings();
    await site.loadExactly();
    expect(site.service.requests.flatMap(({ id = [] }) => id)).toEqual(['3']);
    const added = (await filesOf(mirror, 'articles')).filter((path) => !before.includes(path));
    expect(new Set(recordsOf(added).map(({ name }) => name)).size).toBe(6);
  });

  it('affects no other article where it has one that the service cannot send', async () => {
    await corruptArticle(await site.mirror(), '3');
    await loseRenderings();
    site.strike(({ id }) => id === '3', { kind: 'status', status: 500 });
    const { failure, entries, warnings } = await site.load({ onInvalid: 'keep' });
    expect(failure).toBeUndefined();
    expect([...entries.keys()].sort()).toEqual(['1', '2', '4', '5', '6']);
    expect(warnings.join('\n')).toMatch(/article "3".*500/);
  });

  it.each([
    ['is cut off', (text: string) => text.slice(0, -20)],
    ['lacks its last line', (text: string) => text.replace(/.*\n$/, '')],
    ['is empty', () => ''],
    ['consists of zeros', (text: string) => '\0'.repeat(text.length)],
    ['begins with zeros', (text: string) => text.replace(/^.{99}/s, '\0'.repeat(99))],
    ['has another title', (text: string) => text.replace(/"title": "./, '"title": "X')],
    ['has a conflict of Git', (text: string) => `<<<<<<< HEAD\n${text}`],
    ['is of a newer format', (text: string) => text.replace(/"version":\d+/, '"version":99')],
  ])('is not used when it is an index that %s', async (_, change) => {
    const path = indexFile(await site.mirror());
    const changed = change(await readFile(path, 'utf8'));
    await writeFile(path, changed);
    const offline = await site.load({ offline: true });
    expect(offline.failure).toMatchObject({ name: 'ArticlesMirrorError' });
    expect(await readFile(path, 'utf8')).toBe(changed);
    const load = await site.loadExactly();
    expect([...offline.warnings, ...load.warnings].join('\n')).toContain(dirname(path));
    expect((await site.loadExactly()).warnings).toEqual([]);
  });
});

describe('an index that this package did not write', () => {
  it('makes a load fail, and is unchanged', async () => {
    const path = indexFile(await site.mirror());
    await writeFile(path, '[]\n');
    const failure = await site.loadFails();
    expect(failure.name).toBe('ArticlesMirrorError');
    expect(failure.message).toContain(dirname(path));
    expect(await readFile(path, 'utf8')).toBe('[]\n');
  });
});

describe('an index that was tampered with', () => {
  const outside = ['../../secret', '../../../secret', '/etc/hostname', 'a/../../../secret', 'x\0'];

  test.each(outside)('reads, shows and removes no article outside: %j', async (object) => {
    const mirror = await site.mirror();
    const secret = JSON.stringify({
      id: '6',
      title: 'Secret',
      content: 'of the machine',
      extra: {},
    });
    for (const name of ['secret.json', '../secret.json']) await write(join(mirror, name), secret);
    await rewriteIndex(mirror, ({ articles: [first] }) => {
      if (first) first.object = object;
    });
    await rm(join(site.root, 'cache/data-store.json'));
    const offline = await site.load({ offline: true });
    expect(offline.context.storeText()).not.toContain('of the machine');
    await site.loadExactly();
    for (const name of ['secret.json', '../secret.json']) {
      expect(await readFile(join(mirror, name), 'utf8')).toBe(secret);
    }
  });

  test.each([...outside, 'photo.jpg', 'index.json'])(
    'publishes and removes no image outside: %j',
    async (file) => {
      const mirror = await site.mirror();
      const [image = ''] = await filesOf(mirror, 'images');
      const photos = [join(mirror, 'secret'), join(mirror, '../secret'), join(mirror, 'photo.jpg')];
      for (const photo of photos) {
        await copyFile(image, photo);
        await age([photo], 5);
      }
      await rewriteIndex(mirror, ({ images: [first] }) => {
        if (first) first.file = file;
      });
      await rm(join(site.root, 'cache/data-store.json'));
      for (const offline of [true, false]) {
        const { entries } = await site.load({ offline });
        const files = [...entries.values()].flatMap((entry) => importedFiles(site.root, entry));
        expect(files.filter((path) => path !== image)).toEqual([]);
      }
      await site.loadExactly();
      for (const photo of photos) expect((await stat(photo)).isFile()).toBe(true);
    },
  );

  it('contains only the names of its own files, with any response of the service', async () => {
    site.service.replace([
      { id: '../../x', title: '../../x', content: '../../x', cover_image: '../../x' },
      ...makeArticles(6),
    ]);
    await site.load();
    const { articles, images } = await readIndex(await site.mirror());
    for (const { object } of articles) expect(object).toMatch(/^[0-9a-f]+$/);
    for (const { file } of images) expect(file).toMatch(/^[0-9a-f]+\.\w+$/);
  });
});

describe('the mirror of another service', () => {
  test('is kept, and used again when that service is', async () => {
    const other = await temporaryService({ apiKey: key, articles: makeArticles(4, { seed: 2 }) });
    const mirror = await site.mirror();
    const files = (await filesBelow(mirror)).filter((name) => !name.includes('rendered/'));
    await age(
      files.map((name) => join(mirror, name)),
      48,
    );

    const staging = await site.load({ baseUrl: other.url, allowEmpty: true });
    expect(staging.failure).toBeUndefined();
    expect(staging.entries.size).toBe(4);
    await site.load({ baseUrl: other.url });

    site.service.clearRequests();
    const back = await site.load({ offline: true, allowEmpty: true });
    expect(back.failure).toBeUndefined();
    expect([...back.entries.keys()].toSorted()).toEqual(['1', '2', '3', '4', '5', '6']);
    await site.loadExactly();
    expect(site.service.count('article')).toBe(0);
  });

  test('is another folder, also for another path of the same host', async () => {
    const other: typeof fetch = (url, init) => fetch(String(url).replace('/other/', '/'), init);
    const options = { baseUrl: `${site.service.url}/other`, fetch: other };
    const { context, failure } = await site.load({ ...options, allowEmpty: true });
    expect(failure).toBeUndefined();
    await expect(findMirror(context.mirrors)).rejects.toThrow('2 mirrors');
  });
});
