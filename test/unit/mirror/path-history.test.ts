import { execFileSync } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { joinHistories, type PathHistory } from '../../../src/redirects/history.ts';
import { filesIn, pathsFile } from '../../helpers/mirror-folder.ts';
import { commit, createTemporaryMirror } from './temporary-mirror.ts';

let folder: Awaited<ReturnType<typeof createTemporaryMirror>>;
let path: string;
beforeEach(async () => {
  folder = await createTemporaryMirror();
  path = pathsFile(folder.folder);
  await mkdir(folder.folder, { recursive: true });
});

const of = (...articles: (readonly [id: string, path: string, serial: number])[]): PathHistory =>
  joinHistories(
    ...articles.map(([id, path, serial]) => new Map([[id, new Map([[`0 ${path}`, serial]])]])),
  );

function read(): PathHistory {
  const mirror = folder.open();
  mirror.close();
  return mirror.paths;
}

describe('the history of paths', () => {
  it('is joined with the one on disk, which another process may have written meanwhile', () => {
    const [one, two] = [folder.open(), folder.open()];
    two.writePaths(of(['a', 'first', 1]));
    one.writePaths(of(['a', 'second', 2], ['b', 'b', 1]));
    expect(read()).toEqual(of(['a', 'first', 1], ['a', 'second', 2], ['b', 'b', 1]));
    commit(two, [], { paths: of(['a', 'first', 3]) });
    expect(read()).toEqual(of(['a', 'first', 3], ['a', 'second', 2], ['b', 'b', 1]));
  });

  it('stays in its file when the index is broken, and with a commit that knows none', async () => {
    const mirror = folder.open();
    commit(mirror, [], { paths: of(['a', 'first', 1]) });
    const { ino } = await stat(path);
    await writeFile(`${folder.folder}/index.json`, '<<<<<<<');
    commit(folder.open(), []);
    expect((await stat(path)).ino).toBe(ino);
    expect(folder.open().paths).toEqual(of(['a', 'first', 1]));
  });

  it('has the paths of both sides after a Git merge, and replaces nothing in .gitattributes', async () => {
    const git = (...args: string[]) => {
      const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
      return execFileSync('git', ['-C', folder.folder, ...author, ...args], { stdio: 'pipe' });
    };
    const save = (...articles: Parameters<typeof of>) => {
      folder.open().writePaths(of(...articles));
      git('add', '-A');
      git('commit', '-m', 'paths');
    };
    git('init', '-b', 'main');
    save(['a', 'first', 1], ['b', 'b', 1]);
    git('checkout', '-b', 'other');
    save(['a', 'other', 2], ['c', 'c', 2]);
    git('checkout', 'main');
    save(['a', 'own', 2], ['d', 'd', 2]);
    git('merge', 'other');
    expect(read()).toEqual(
      of(
        ...([
          ['a', 'first', 1],
          ['a', 'other', 2],
          ['a', 'own', 2],
        ] as const),
        ...([
          ['b', 'b', 1],
          ['c', 'c', 2],
          ['d', 'd', 2],
        ] as const),
      ),
    );
    const attributes = `${folder.folder}/.gitattributes`;
    await writeFile(attributes, '* text\n');
    folder.open().writePaths(of(['e', 'e', 3]));
    expect(await readFile(attributes, 'utf8')).toBe('* text\n');
  });

  it.each(['<html>', 'hello', '{"format":"as', '\0\0\0\0\0'])(
    'of which nothing can be read is set aside when another one is written: %j',
    async (text) => {
      await writeFile(path, text);
      const mirror = folder.open();
      expect(mirror.notices.join()).toContain(path);
      expect(await readFile(path, 'utf8')).toBe(text);
      mirror.writePaths(of(['a', 'first', 1]));
      expect(read()).toEqual(of(['a', 'first', 1]));
      expect(await readFile(path.replace('.json', '.broken.json'), 'utf8')).toBe(text);
    },
  );

  it.each([
    '[]',
    '{"Berlin":"Street 1"}',
    '{"format":"astro-articles paths 2","articles":[]}',
    'null',
  ])('of another program is an error, and stays: %s', async (text) => {
    const running = folder.open();
    await writeFile(path, text);
    const files = await filesIn(folder.folder);
    for (const act of [() => folder.open(), () => running.writePaths(of(['a', 'a', 1]))]) {
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
