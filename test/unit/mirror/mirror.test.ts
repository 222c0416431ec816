import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, test } from 'vitest';
import type { IndexedArticle } from '../../../src/mirror/index-file.ts';
import { openPackFolder } from '../../../src/mirror/pack-folder.ts';
import { hash } from '../../../src/shared/hash.ts';
import { age, corrupt, filesOf, recordsOf } from '../../helpers/mirror-folder.ts';
import {
  addArticle,
  articleOf,
  commit,
  createTemporaryMirror,
  filesIn,
  indexOf,
} from './temporary-mirror.ts';

let folder: Awaited<ReturnType<typeof createTemporaryMirror>>;
beforeEach(async () => {
  folder = await createTemporaryMirror();
});

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

test('files that links lead to are unchanged, though the links have names of files of the mirror', async () => {
  const target = join(folder.parent, 'target');
  await writeFile(target, 'mine');
  await age([target], 24);
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

describe('clean-up', () => {
  it('restarts the grace period of a pack when one of its articles is written again', async () => {
    const mirror = await folder.open();
    await addArticle(mirror, 'a', 'text');
    await mirror.flush();
    const [pack = ''] = await packs();
    await age([pack], 24);
    await addArticle(await folder.open(), 'a', 'text');
    await commit(await folder.open(), []);
    expect(await packs()).toEqual([pack]);
  });

  it('keeps renderings for a week after they were last used', async () => {
    const paths: string[] = [];
    for (const [name, days] of [
      ['used', 8],
      ['unused', 8],
      ['recent', 6],
    ] as const) {
      const mirror = await folder.open();
      await mirror.writeRendering(hash(name), { name });
      await mirror.flush();
      const all = await filesIn(folder.paths.renderings);
      const added = [...all.keys()].find((path) => !paths.includes(path)) ?? '';
      paths.push(added);
      await age([added], 24 * days);
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

test('a collection whose name is not a plain word has a folder of its own', async () => {
  const names = ['articles', '../articles', 'a/b', 'a-b', 'a b', '..'];
  const folders = await Promise.all(
    names.map(async (collection) => (await folder.open({ collection })).folder),
  );
  expect(new Set(folders).size).toBe(names.length);
  for (const path of folders) expect(dirname(path)).toBe(folder.parent);
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
});
