import { beforeEach, describe, expect, it, test } from 'vitest';
import { ArticlesMirrorError } from '../../../src/errors.ts';
import { openPackFolder } from '../../../src/mirror/pack-folder.ts';
import { hash } from '../../../src/shared/hash.ts';
import type { FileFaultOptions } from '../../helpers/file-faults.ts';
import { filesIn } from '../../helpers/mirror-folder.ts';
import { addArticle, commit, createTemporaryMirror, indexed } from './temporary-mirror.ts';

// Loads during which one file operation fails or the process is killed are in stories.test.ts.

let folder: Awaited<ReturnType<typeof createTemporaryMirror>>;
beforeEach(async () => {
  folder = await createTemporaryMirror();
});

/** Lets operations fail whose name and path match. */
const failing =
  (name: RegExp, code: string, path = /./): FileFaultOptions['before'] =>
  (operation) =>
    name.test(operation.name) && path.test(operation.path) ? { kind: 'fail', code } : undefined;
/** On Windows, a file that is open may be locked. */
const locked = (path: RegExp) => failing(/renameSync/, 'EPERM', path);

/** Returns the text of the first article, as the next process reads it. */
function firstText(): string | undefined {
  const next = folder.open();
  return next.readArticle(next.index.articles[0]?.record ?? '')?.content;
}

describe('a file that could not be read', () => {
  it.each(['EMFILE', 'EACCES', 'EBUSY', 'EIO', 'ENOSPC', 'EPERM'])(
    'with %s is an error, and is not changed',
    async (code) => {
      const mirror = folder.open();
      const article = addArticle(mirror, 'a', 'first');
      const name = mirror.writeText('', hash('key'));
      const bytes = Buffer.from('an image');
      const image = { file: mirror.writeImage(bytes, 'png'), bytes: bytes.length };
      commit(mirror, [indexed('a', 'first', article.record, [name])]);
      const files = await filesIn(folder.parent);
      const reads: [RegExp, () => unknown][] = [
        [/readSync/, () => folder.open()],
        [/^(read|stat|lstat|open)/, () => folder.open()],
        [/stat/, () => mirror.hasImage(image)],
        [/^read/, () => commit(mirror, [])],
        [/^read/, () => mirror.writePaths(new Map())],
      ];
      for (const [name, read] of reads) {
        const { error } = folder.disturb(failing(name, code), read);
        expect(error).toBeInstanceOf(ArticlesMirrorError);
        const message = expect.stringContaining(code);
        expect(error).toMatchObject({ code: 'mirror-unreadable', message });
        expect(error).toHaveProperty('cause.code', code);
      }
      expect(await filesIn(folder.parent)).toEqual(files);
      expect(mirror.readArticle(article.record)).toMatchObject({ content: 'first' });
    },
  );

  it('leaves no file open when the mirror cannot be opened', () => {
    for (const seed of ['a', 'b', 'c']) {
      const packs = openPackFolder(folder.folder);
      packs.write(seed);
      packs.packAndCompact(new Set());
    }
    let tables = 0;
    const { operations } = folder.disturb(
      ({ name }) =>
        name === 'fstatSync' && ++tables === 3 ? { kind: 'fail', code: 'EIO' } : undefined,
      () => folder.open(),
    );
    const named = (wanted: string) => operations.filter(({ name }) => name === wanted);
    expect(named('openSync')).toHaveLength(3);
    expect(named('closeSync')).toHaveLength(3);
  });
});

test('a commit survives a power cut: all of it is flushed to the disk', () => {
  const mirror = folder.open();
  const { operations } = folder.disturb(undefined, () =>
    commit(mirror, [addArticle(mirror, 'a', 'first')]),
  );
  const writes = operations.filter(({ name }) => name === 'writeFileSync');
  expect(writes.map(({ isFlushed }) => isFlushed)).toEqual([true, true, true, true]);
});

describe('a rename', () => {
  it.each(['EPERM', 'EBUSY', 'EACCES'])('that fails twice with %s is repeated', (code) => {
    let failures = 2;
    const { error } = folder.disturb(
      ({ name }) => (name === 'renameSync' && failures-- > 0 ? { kind: 'fail', code } : undefined),
      () => commit(folder.open(), []),
    );
    expect(error).toBeUndefined();
    expect(folder.open().index.syncedAt).toBe(1);
  });

  it('that keeps failing leaves the old index and no temporary file', async () => {
    const mirror = folder.open();
    commit(mirror, [addArticle(mirror, 'a', 'first')]);
    const { index } = mirror;
    const files = await filesIn(folder.parent);
    const { error } = folder.disturb(locked(/./), () => commit(mirror, []));
    const hint = expect.stringContaining('permissions');
    expect(error).toMatchObject({ code: 'mirror-unwritable', hint });
    expect(mirror.index).toBe(index);
    expect(folder.open().index).toEqual(index);
    expect(await filesIn(folder.parent)).toEqual(files);
  });

  it('whose temporary file another process has removed is repeated with a new one', () => {
    const mirror = folder.open();
    const other = folder.open();
    let removed = 0;
    const { error } = folder.disturb(
      ({ name, path }) => {
        if (name === 'renameSync' && path.endsWith('.tmp') && removed < 3) {
          removed += 1;
          commit(other, []);
        }
        return undefined;
      },
      () => commit(mirror, [addArticle(mirror, 'a', 'first')]),
    );
    expect([error, removed]).toEqual([undefined, 3]);
    expect(firstText()).toBe('first');
  });
});

describe('Windows, where a file that is open may be locked', () => {
  it('uses the pack of another process with the same records, which it cannot replace', () => {
    const [one, two] = [folder.open(), folder.open()];
    commit(one, [addArticle(one, 'a', 'first')]);
    const { error } = folder.disturb(locked(/\.pack/), () =>
      commit(two, [addArticle(two, 'a', 'first')]),
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
    const { error } = folder.disturb(locked(/\.pack/), () => commit(running, [article]));
    expect(error).toBeUndefined();
    expect(running.readArticle(article.record)?.content).toBe('first');
    expect(folder.open().has(article.record)).toBe(false);
  });
});
