import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { joinHistories, type SlugHistory } from '../../../src/redirects/history.ts';
import { filesIn, slugsFile } from '../../helpers/mirror-folder.ts';
import { commit, createTemporaryMirror } from './temporary-mirror.ts';

let folder: Awaited<ReturnType<typeof createTemporaryMirror>>;
let path: string;
beforeEach(async () => {
  folder = await createTemporaryMirror();
  path = slugsFile(folder.folder);
  await mkdir(folder.folder, { recursive: true });
});

const of = (...articles: [id: string, slug: string, serial: number][]): SlugHistory =>
  joinHistories(
    ...articles.map(([id, slug, serial]) => new Map([[id, new Map([[slug, serial]])]])),
  );

function read(): SlugHistory {
  const mirror = folder.open();
  mirror.close();
  return mirror.slugHistory;
}

describe('the history of slugs', () => {
  it('are joined with those on disk, which another process may have written meanwhile', () => {
    const [one, two] = [folder.open(), folder.open()];
    two.writeSlugs(of(['a', 'first', 1]));
    one.writeSlugs(of(['a', 'second', 2], ['b', 'b', 1]));
    expect(read()).toEqual(of(['a', 'first', 1], ['a', 'second', 2], ['b', 'b', 1]));
    commit(two, [], { slugHistory: of(['a', 'first', 3]), dropped: ['b'] });
    expect(read()).toEqual(of(['a', 'first', 3], ['a', 'second', 2]));
  });

  it('stay in their file when the index is broken, and with a commit that knows none', async () => {
    const mirror = folder.open();
    commit(mirror, [], { slugHistory: of(['a', 'first', 1]) });
    const { ino } = await stat(path);
    await writeFile(`${folder.folder}/index.json`, '<<<<<<<');
    commit(folder.open(), []);
    expect((await stat(path)).ino).toBe(ino);
    expect(folder.open().slugHistory).toEqual(of(['a', 'first', 1]));
  });

  it.each(['<html>', 'hello', '{"format":"as', '\0\0\0\0\0'])(
    'of which nothing can be read are set aside when others are written: %j',
    async (text) => {
      await writeFile(path, text);
      const mirror = folder.open();
      expect(mirror.notices.join()).toContain(path);
      expect(await readFile(path, 'utf8')).toBe(text);
      mirror.writeSlugs(of(['a', 'first', 1]));
      expect(read()).toEqual(of(['a', 'first', 1]));
      expect(await readFile(path.replace('.json', '.broken.json'), 'utf8')).toBe(text);
    },
  );

  it.each([
    '[]',
    '{"Berlin":"Street 1"}',
    '{"format":"astro-articles slugs 2","articles":[]}',
    'null',
  ])('of another program are an error, and stay: %s', async (text) => {
    const running = folder.open();
    await writeFile(path, text);
    const files = await filesIn(folder.folder);
    for (const act of [() => folder.open(), () => running.writeSlugs(of(['a', 'a', 1]))]) {
      expect(act).toThrow(
        expect.objectContaining({
          code: 'mirror-unwritable',
          message: expect.stringContaining(path),
        }),
      );
    }
    expect(await filesIn(folder.folder)).toEqual(files);
  });
});
