import { cpSync, rmSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { ArticlesMirrorError } from '../../../src/errors.ts';
import type { IndexedArticle, MirrorImage } from '../../../src/mirror/index-file.ts';
import type { Mirror } from '../../../src/mirror/mirror.ts';
import { hash } from '../../../src/shared/hash.ts';
import { type FileOperation, type Intervention, watchFiles } from '../../helpers/file-faults.ts';
import { corrupt, filesOf, recordsOf } from '../../helpers/mirror-folder.ts';
import {
  addArticle,
  commit,
  createTemporaryMirror,
  day,
  filesIn,
  indexOf,
  setAge,
} from './temporary-mirror.ts';

const codes = ['ENOENT', 'EMFILE', 'EACCES', 'EBUSY', 'EIO', 'ENOSPC', 'EPERM'];
const picture = { old: Buffer.from('the old image'), new: Buffer.from('the new image') };

let folder: Awaited<ReturnType<typeof createTemporaryMirror>>;
beforeEach(async () => {
  folder = await createTemporaryMirror();
});
afterEach(() => folder.remove());

/** The articles of the service: `kept` is unchanged, `changed` has a new text, and `added` is new. */
const listed = [
  ['kept', 'kept'],
  ['changed', 'second'],
  ['added', 'added'],
] as const;

/** Fills the mirror like an earlier load, with files of the user and of a killed process. */
async function fill(): Promise<void> {
  const mirror = await folder.open();
  const kept = await addArticle(mirror, 'kept', 'kept');
  const changed = await addArticle(mirror, 'changed', 'first');
  const added = await addArticle(mirror, 'added', 'added');
  const file = await mirror.writeImage(picture.old, 'png');
  await mirror.writeRendering(hash('kept'), { html: 'kept' });
  const image = {
    url: 'https://a.example/',
    file,
    bytes: picture.old.length,
    pixels: 1,
    freshUntil: 1,
  };
  await mirror.commit(indexOf([kept, changed], { images: new Map([[image.url, image]]) }), {
    renderings: [hash('kept')],
  });
  const { images } = folder.paths;
  const packs = await filesOf(folder.paths.folder, 'articles');
  await corrupt(recordsOf(packs).filter(({ name }) => name === added.object));
  const other = await folder.open();
  await addArticle(other, 'unused', 'unused');
  await other.flush();
  for (const pack of await filesOf(folder.paths.folder, 'articles')) await setAge(pack, day);
  await writeFile(join(folder.paths.folder, `index.json.${crypto.randomUUID()}.tmp`), 'half');
  for (const path of [join(images, 'my-photo.jpg'), join(folder.paths.folder, 'notes.txt')]) {
    await writeFile(path, 'mine');
    await setAge(path, 365 * day);
  }
}

/** Calls the mirror like a load, in the same order. */
async function load(): Promise<void> {
  const mirror = await folder.open();
  const before = new Map(mirror.index.articles.map((article) => [article.id, article]));
  const articles: IndexedArticle[] = [];
  for (const [id, content] of listed) {
    const known = before.get(id);
    const isCurrent = known?.digest === content && (await mirror.readArticle(known.object));
    articles.push(isCurrent ? known : await addArticle(mirror, id, content));
    if (!(await mirror.readRendering(hash(id))))
      await mirror.writeRendering(hash(id), { html: id });
  }
  const images = new Map<string, MirrorImage>();
  for (const [name, bytes] of Object.entries(picture)) {
    const url = `https://${name === 'old' ? 'a' : 'b'}.example/`;
    const known = mirror.index.images.get(url);
    const image =
      known && (await mirror.hasImage(known)) ? known : await download(mirror, url, bytes);
    images.set(url, image);
  }
  const renderings = listed.map(([id]) => hash(id));
  await mirror.commit(indexOf(articles, { images, syncedAt: 2 }), { renderings });
}

async function download(mirror: Mirror, url: string, bytes: Buffer): Promise<MirrorImage> {
  const file = await mirror.writeImage(bytes, 'png');
  return { url, file, bytes: bytes.length, pixels: 1, freshUntil: 1 };
}

/** Checks that the index on disk is the old or the new one, and that all its files are intact. */
async function expectIntact(expected: 'old' | 'new' | 'either'): Promise<void> {
  const mirror = await folder.open();
  const { index } = mirror;
  expect(mirror.notice).toBeUndefined();
  const isNew = index.syncedAt === 2;
  if (expected !== 'either') expect(isNew ? 'new' : 'old').toBe(expected);
  expect(index.articles.map(({ id, digest }) => [id, digest])).toEqual(
    isNew
      ? listed
      : [
          ['kept', 'kept'],
          ['changed', 'first'],
        ],
  );
  for (const { id, object, digest } of index.articles) {
    expect(await mirror.readArticle(object)).toMatchObject({ id, content: digest });
  }
  expect(index.images.size).toBe(isNew ? 2 : 1);
  for (const image of index.images.values()) expect(await mirror.hasImage(image)).toBe(true);
  expect(await mirror.readRendering(hash('kept'))).toEqual({ html: 'kept' });
  for (const path of [
    join(folder.paths.images, 'my-photo.jpg'),
    join(folder.paths.folder, 'notes.txt'),
  ]) {
    expect(await readFile(path, 'utf8')).toBe('mine');
  }
}

/** Runs something while file operations fail. */
async function withFaults(
  before: (operation: FileOperation) => Intervention | undefined,
  run: () => Promise<unknown>,
) {
  const { operations, stop } = watchFiles(folder.parent, { before });
  const error: unknown = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  stop();
  return { operations, error };
}

const failWith = (code: string): Intervention => ({ kind: 'fail', code });

/** Runs the load once for each of its file operations, each time from the same state. */
async function sweep(
  intervention: Intervention,
  check: (result: { error: unknown; call: string }) => Promise<void>,
): Promise<number> {
  await fill();
  const start = `${folder.parent}-start`;
  cpSync(folder.parent, start, { recursive: true, preserveTimestamps: true });
  try {
    for (let place = 0; ; place++) {
      rmSync(folder.parent, { recursive: true });
      cpSync(start, folder.parent, { recursive: true, preserveTimestamps: true });
      const { operations, error } = await withFaults(
        ({ index }) => (index === place ? intervention : undefined),
        load,
      );
      const operation = operations[place];
      if (!operation) return place;
      await check({ error, call: `${place}: ${operation.name} ${operation.path}` });
      // The next load succeeds.
      await load();
      await expectIntact('new');
    }
  } finally {
    rmSync(start, { recursive: true });
  }
}

test.each(codes)(
  'when one file operation of a load fails with %s, nothing is lost',
  async (code) => {
    let failures = 0;
    const operations = await sweep(failWith(code), async ({ error, call }) => {
      if (error) failures += 1;
      // Either the load failed and changed nothing, or it succeeded.
      if (error && !(error instanceof ArticlesMirrorError)) throw new Error(call, { cause: error });
      await expectIntact(error ? 'old' : 'new');
    });
    expect(operations).toBeGreaterThan(30);
    expect(failures).toBeGreaterThan(0);
  },
);

test.each([false, true])(
  'when the process is killed at any file operation, the old or the new state is intact (torn: %s)',
  async (torn) => {
    const states = new Set<string>();
    await sweep({ kind: 'kill', torn }, async () => {
      await expectIntact('either');
      states.add(String((await folder.open()).index.syncedAt));
    });
    expect(states).toEqual(new Set(['1', '2']));
  },
);

describe('a file that could not be read', () => {
  it.each(codes.filter((code) => code !== 'ENOENT'))(
    'with %s is an error, and is not changed',
    async (code) => {
      const mirror = await folder.open();
      const article = await addArticle(mirror, 'a', 'first');
      const image = await download(mirror, 'https://a.example/', picture.old);
      await mirror.writeRendering(hash('key'), { html: '' });
      await commit(mirror, [article]);
      const files = await filesIn(folder.parent);
      const fault = ({ name }: FileOperation) =>
        /^(read|stat|lstat|open)/.test(name) ? failWith(code) : undefined;
      const again = await folder.open();
      for (const read of [
        () => folder.open(),
        () => again.readArticle(article.object),
        () => again.hasImage(image),
        () => again.readRendering(hash('key')),
      ]) {
        const { error } = await withFaults(fault, read);
        expect(error).toBeInstanceOf(ArticlesMirrorError);
        expect(error).toMatchObject({
          code: 'mirror-unreadable',
          message: expect.stringContaining(code),
        });
        expect(error).toHaveProperty('cause.code', code);
      }
      expect(await filesIn(folder.parent)).toEqual(files);
      expect(await again.readArticle(article.object)).toMatchObject({ content: 'first' });
    },
  );
});

describe('a rename', () => {
  it.each(['EPERM', 'EBUSY', 'EACCES'])('that fails twice with %s is repeated', async (code) => {
    const mirror = await folder.open();
    let failures = 2;
    const { error } = await withFaults(
      ({ name }) => (name === 'renameSync' && failures-- > 0 ? failWith(code) : undefined),
      () => commit(mirror, []),
    );
    expect(error).toBeUndefined();
    expect((await folder.open()).index.syncedAt).toBe(1);
  });

  it('that keeps failing leaves the old index and no temporary file', async () => {
    const mirror = await folder.open();
    await commit(mirror, [await addArticle(mirror, 'a', 'first')]);
    const { index } = mirror;
    const { error } = await withFaults(
      ({ name }) => (name === 'renameSync' ? failWith('EPERM') : undefined),
      () => commit(mirror, []),
    );
    expect(error).toMatchObject({
      code: 'mirror-unwritable',
      hint: expect.stringContaining('permissions'),
    });
    expect(mirror.index).toBe(index);
    expect((await folder.open()).index).toEqual(index);
    expect(await readdir(folder.paths.folder)).not.toContainEqual(expect.stringContaining('.tmp'));
  });
});

test('articles, images and renderings that exist are not written again', async () => {
  const write = async () => {
    const mirror = await folder.open();
    await addArticle(mirror, 'a', 'first');
    await addArticle(mirror, 'a', 'first');
    await mirror.writeImage(picture.old, 'png');
    await mirror.writeRendering(hash('key'), { html: '' });
    await mirror.flush();
  };
  const numbers: number[] = [];
  for (let load = 0; load < 2; load++) {
    const { operations } = await withFaults(() => undefined, write);
    numbers.push(operations.filter(({ name }) => name === 'writeFileSync').length);
  }
  expect(numbers).toEqual([3, 0]);
});

test('published slugs are kept although the disk is full for packs', async () => {
  const mirror = await folder.open();
  const article = await addArticle(mirror, 'a', 'first');
  await commit(mirror, [article]);
  await mirror.writeRendering(hash('key'), { html: '' });
  await withFaults(
    ({ name, path }) =>
      name === 'writeFileSync' && path.includes('.pack') ? failWith('ENOSPC') : undefined,
    () => mirror.addSlugs(new Map([['a', ['published']]])),
  );
  expect((await folder.open()).index.slugHistory.get('a')).toEqual(['published']);
});
