import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { ArticlesMirrorError } from '../../../src/errors.ts';
import { hash } from '../../../src/shared/hash.ts';
import { type FileOperation, type Intervention, watchFiles } from '../../helpers/file-faults.ts';
import { addArticle, commit, createTemporaryMirror, filesIn } from './temporary-mirror.ts';

// Loads during which a file operation fails or the process is killed are in test/load/crash.test.ts.

let folder: Awaited<ReturnType<typeof createTemporaryMirror>>;
beforeEach(async () => {
  folder = await createTemporaryMirror();
});

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

describe('a file that could not be read', () => {
  it.each(['EMFILE', 'EACCES', 'EBUSY', 'EIO', 'ENOSPC', 'EPERM'])(
    'with %s is an error, and is not changed',
    async (code) => {
      const mirror = await folder.open();
      const article = await addArticle(mirror, 'a', 'first');
      const bytes = Buffer.from('an image');
      const image = { file: await mirror.writeImage(bytes, 'png'), bytes: bytes.length };
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
