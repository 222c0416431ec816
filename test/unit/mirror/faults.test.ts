import { beforeEach, describe, expect, it, test } from 'vitest';
import { ArticlesMirrorError } from '../../../src/errors.ts';
import { hash } from '../../../src/shared/hash.ts';
import { type FileOperation, type Intervention, watchFiles } from '../../helpers/file-faults.ts';
import { addArticle, commit, createTemporaryMirror, filesIn, indexed } from './temporary-mirror.ts';

// Loads during which a file operation fails or the process is killed are in stories.test.ts.

let folder: Awaited<ReturnType<typeof createTemporaryMirror>>;
beforeEach(async () => {
  folder = await createTemporaryMirror();
});

/** Runs something while file operations fail. */
function withFaults(
  before: (operation: FileOperation) => Intervention | undefined,
  run: () => unknown,
) {
  const { operations, stop } = watchFiles(folder.parent, { before });
  try {
    return { operations, result: run(), error: undefined };
  } catch (error) {
    return { operations, error };
  } finally {
    stop();
  }
}

const failWith = (code: string): Intervention => ({ kind: 'fail', code });

describe('a file that could not be read', () => {
  it.each(['EMFILE', 'EACCES', 'EBUSY', 'EIO', 'ENOSPC', 'EPERM'])(
    'with %s is an error, and is not changed',
    async (code) => {
      const fault = ({ name }: FileOperation) =>
        /^(read|stat|lstat|open)/.test(name) ? failWith(code) : undefined;
      const mirror = folder.open();
      const article = addArticle(mirror, 'a', 'first');
      const name = mirror.writeRendering(hash('key'), { html: '' });
      const bytes = Buffer.from('an image');
      const image = { file: mirror.writeImage(bytes, 'png'), bytes: bytes.length };
      commit(mirror, [indexed('a', 'first', article.record, [name])]);
      const files = await filesIn(folder.parent);
      const reads = [
        () => folder.open(),
        () => mirror.hasImage(image),
        () => commit(mirror, []),
        () => mirror.writeAddresses(new Map()),
      ];
      for (const read of reads) {
        const { error } = withFaults(fault, read);
        expect(error).toBeInstanceOf(ArticlesMirrorError);
        expect(error).toMatchObject({
          code: 'mirror-unreadable',
          message: expect.stringContaining(code),
        });
        expect(error).toHaveProperty('cause.code', code);
      }
      // The packs are open, so the helper has to see them being opened.
      const { error } = withFaults(
        ({ name }) => (name === 'readSync' ? failWith(code) : undefined),
        () => folder.open(),
      );
      expect(error).toMatchObject({ code: 'mirror-unreadable' });
      expect(await filesIn(folder.parent)).toEqual(files);
      expect(mirror.readArticle(article.record)).toMatchObject({ content: 'first' });
    },
  );

  it('leaves no file open when the mirror cannot be opened', () => {
    for (const seed of ['a', 'b', 'c']) {
      const mirror = folder.open();
      addArticle(mirror, seed, seed);
      mirror.flush();
    }
    let tables = 0;
    const { operations } = withFaults(
      ({ name }) => (name === 'fstatSync' && ++tables === 3 ? failWith('EIO') : undefined),
      () => folder.open(),
    );
    const named = (wanted: string) => operations.filter(({ name }) => name === wanted);
    expect(named('openSync')).toHaveLength(3);
    expect(named('closeSync')).toHaveLength(3);
  });
});

describe('a rename', () => {
  it.each(['EPERM', 'EBUSY', 'EACCES'])('that fails twice with %s is repeated', (code) => {
    const mirror = folder.open();
    let failures = 2;
    const { error } = withFaults(
      ({ name }) => (name === 'renameSync' && failures-- > 0 ? failWith(code) : undefined),
      () => commit(mirror, []),
    );
    expect(error).toBeUndefined();
    expect(folder.open().index.syncedAt).toBe(1);
  });

  it('that keeps failing leaves the old index and no temporary file', async () => {
    const mirror = folder.open();
    commit(mirror, [addArticle(mirror, 'a', 'first')]);
    const { index } = mirror;
    const files = await filesIn(folder.parent);
    const { error } = withFaults(
      ({ name }) => (name === 'renameSync' ? failWith('EPERM') : undefined),
      () => commit(mirror, []),
    );
    expect(error).toMatchObject({
      code: 'mirror-unwritable',
      hint: expect.stringContaining('permissions'),
    });
    expect(mirror.index).toBe(index);
    expect(folder.open().index).toEqual(index);
    expect(await filesIn(folder.parent)).toEqual(files);
  });

  it('whose temporary file another process has removed is repeated with a new one', () => {
    const mirror = folder.open();
    const other = folder.open();
    let removed = 0;
    const { error } = withFaults(
      ({ name, path }) => {
        if (name === 'renameSync' && path.endsWith('.tmp') && removed < 3) {
          removed += 1;
          commit(other, []);
        }
        return undefined;
      },
      () => commit(mirror, [addArticle(mirror, 'a', 'first')]),
    );
    expect(error).toBeUndefined();
    expect(removed).toBe(3);
    const next = folder.open();
    expect(next.index.articles.map(({ record }) => next.readArticle(record)?.content)).toEqual([
      'first',
    ]);
  });
});

describe('Windows, where a file that is open may be locked', () => {
  it('keeps a pack that cannot be removed until a later load', () => {
    const mirror = folder.open();
    commit(mirror, [addArticle(mirror, 'a', 'first')]);
    const [pack = ''] = mirror.index.packs;
    const { error } = withFaults(
      ({ name }) => (name === 'rmSync' ? failWith('EBUSY') : undefined),
      () => commit(mirror, [addArticle(mirror, 'a', 'second')]),
    );
    expect(error).toBeUndefined();
    const packs = async () => [...(await filesIn(folder.folder)).keys()].join();
    return packs().then(async (before) => {
      expect(before).toContain(pack);
      const next = folder.open();
      commit(next, next.index.articles);
      expect(await packs()).not.toContain(pack);
      expect(next.readArticle(next.index.articles[0]?.record ?? '')?.content).toBe('second');
    });
  });

  it('uses the pack of another process with the same records, which it cannot replace', () => {
    const [one, two] = [folder.open(), folder.open()];
    const articles = [one, two].map((mirror) => addArticle(mirror, 'a', 'first'));
    commit(one, articles.slice(0, 1));
    const { error } = withFaults(
      ({ name, path }) =>
        name === 'renameSync' && path.includes('.pack') ? failWith('EPERM') : undefined,
      () => commit(two, articles.slice(1)),
    );
    expect(error).toBeUndefined();
    expect(two.index).toEqual(one.index);
  });

  it('commits although a pack that another process has removed cannot be written again', () => {
    const [one, two] = [folder.open(), folder.open()];
    const article = addArticle(one, 'a', 'first');
    commit(one, [article]);
    const running = folder.open();
    commit(two, []);
    commit(folder.open(), []);
    const { error } = withFaults(
      ({ name, path }) =>
        name === 'renameSync' && path.includes('.pack') ? failWith('EPERM') : undefined,
      () => commit(running, [article]),
    );
    expect(error).toBeUndefined();
    expect(running.readArticle(article.record)?.content).toBe('first');
    expect(folder.open().has(article.record)).toBe(false);
  });
});

test('published addresses are kept although the disk is full for packs', () => {
  const mirror = folder.open();
  const article = addArticle(mirror, 'a', 'first');
  commit(mirror, [article]);
  mirror.writeRendering(hash('key'), { html: '' });
  const addresses = new Map([['a', new Map([['published', 1]])]]);
  withFaults(
    ({ name, path }) =>
      name === 'writeFileSync' && path.includes('.pack') ? failWith('ENOSPC') : undefined,
    () => mirror.writeAddresses(addresses),
  );
  expect(folder.open().addresses).toEqual(addresses);
});

test('a commit for whose packs the disk has no space changes nothing, and can be repeated', async () => {
  const mirror = folder.open();
  commit(mirror, [addArticle(mirror, 'a', 'first')]);
  const files = await filesIn(folder.parent);
  const second = [addArticle(mirror, 'a', 'second')];
  const { error } = withFaults(
    ({ name }) => (name === 'writeFileSync' ? failWith('ENOSPC') : undefined),
    () => commit(mirror, second, { addresses: new Map([['a', new Map([['x', 1]])]]) }),
  );
  expect(error).toMatchObject({ code: 'mirror-unwritable' });
  expect(await filesIn(folder.parent)).toEqual(files);
  commit(mirror, second);
  expect(folder.open().readArticle(second[0]?.record ?? '')?.content).toBe('second');
});
