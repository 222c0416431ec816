import { readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { describe, expect, it, test, vi } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { articleSchema } from '../../src/content/schema.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { hash } from '../../src/shared/hash.ts';
import {
  corrupt,
  corruptArticle,
  filesBelow,
  filesIn,
  findMirror,
  indexFile,
  packsOf,
  recordsOf,
  rewriteIndex,
} from '../helpers/mirror-folder.ts';
import { offline, useSite } from '../helpers/use-site.ts';

// What a load does with its mirror. The files themselves are tested in test/unit/mirror.

const site = useSite({
  articles: () => makeArticles(6, { cover: 'tides.jpg', words: [20, 40] }),
  loaded: true,
});

test.each([
  ['public', 'publicDir'],
  ['public/..mirror', 'publicDir'],
  ['dist/mirror', 'outDir'],
  ['src/content/articles', 'content'],
])('`mirrorDir: %j` is refused before anything is written', async (mirrorDir, reason) => {
  const failure = await site.loadFails({ mirrorDir });
  expect(failure.code).toBe('invalid-options');
  expect(failure.message).toContain(reason);
  expect(await filesBelow(join(site.root, mirrorDir))).toEqual([]);
});

test.each(['public mirror', 'dist2', '..mirror', 'src/articles'])(
  '`mirrorDir: %j` is accepted, because it is next to the folders that are refused',
  async (mirrorDir) => {
    expect((await site.load({ mirrorDir })).failure).toBeUndefined();
    expect(await filesBelow(join(site.root, mirrorDir))).not.toEqual([]);
  },
);

test.runIf(process.platform === 'linux')('a load closes its files, also if it fails', async () => {
  const count = async () => {
    const names = await readdir('/proc/self/fd');
    const links = names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => ''));
    return (await Promise.all(links)).filter((link) => link.includes('.pack')).length;
  };
  const before = await count();
  await site.load();
  expect(await count()).toBe(before);
  site.strike('list', { kind: 'status', status: 403 });
  await site.loadFails({ failOn: ['service'] });
  expect(await count()).toBe(before);
});

describe('a corrupt image file that has its size', () => {
  it('is downloaded again', async () => {
    const folder = join(await site.mirror(), 'images');
    const image = join(folder, (await filesBelow(folder))[0] ?? '');
    const intact = await readFile(image);
    await writeFile(image, Buffer.alloc(intact.length));
    await site.loadExactly();
    expect(await readFile(image)).toEqual(intact);
  });
});

describe('a mirror in a repository', () => {
  const mirrorDir = 'mirror';
  const folder = () => join(site.root, mirrorDir);
  const later = () => vi.spyOn(systemClock, 'date').mockReturnValue(Date.now() + 60_000);

  it('is unchanged by a load that has changed nothing but its date', async () => {
    const options = { mirrorDir, rows: { changedBy: 'updated_at' }, images: { covers: 'local' } };
    await site.loadExactly(options as ArticlesOptions);
    const files = await filesIn(folder());
    later();
    await site.loadExactly(options as ArticlesOptions);
    expect(await filesIn(folder())).toEqual(files);
    site.service.change('3', { content: 'Another text.' });
    await site.loadExactly(options as ArticlesOptions);
    expect(await filesIn(folder())).not.toEqual(files);
  });

  it('is used without a date, which the message then lacks', async () => {
    await site.loadExactly({ mirrorDir });
    await rewriteIndex(await findMirror(folder()), (index) => {
      delete index.syncedAt;
    });
    const { log } = await site.load({ mirrorDir }, offline);
    expect(log).toContain('Offline: using the articles of the last load. No request was made.');
  });
});

describe('a load without requests', () => {
  it('writes nothing to the mirror, also if it renders all articles', async () => {
    await rm(join(site.root, 'cache/data-store.json'));
    const folder = await site.mirror();
    const contents = async () => {
      const files = await filesBelow(folder);
      const hashes = files.map(async (file) => [file, hash(await readFile(join(folder, file)))]);
      return Promise.all(hashes);
    };
    const before = await contents();
    for (const bodies of ['store', 'mirror'] as const)
      await site.load({ sanitize: 'strict', bodies }, offline);
    expect(await contents()).toEqual(before);
  });
});

describe('a corrupt text', () => {
  /** Loses what Astro has of the articles, and the text of one. */
  async function corruptThird(): Promise<void> {
    await corruptArticle(await site.mirror(), '3');
    await rm(join(site.root, 'cache/data-store.json'));
  }
  const passing = (context: SchemaContext) => articleSchema(context).catchall(z.unknown());
  // With `transform`, a load reads the texts.
  const transform = (article: object) => article as never;

  it('is requested again, alone', async () => {
    await corruptThird();
    await site.loadExactly({ transform });
    expect(site.service.requests.flatMap(({ id = [] }) => id)).toEqual(['3']);
    site.service.clearRequests();
    await site.loadExactly({ transform });
    expect(site.service.count('article')).toBe(0);
  });

  it('is requested again with `--force`, which the message names, if its rendering is corrupt, too', async () => {
    await corrupt(recordsOf(await packsOf(await site.mirror())));
    await rm(join(site.root, 'cache/data-store.json'));
    const { message } = await site.loadFails({});
    expect(message).toMatch(/"6".* its text in the mirror is missing or corrupt\. .*`--force`/);
    process.argv.push('--force');
    await site.loadExactly({}).finally(() => process.argv.pop());
    await site.loadExactly({}, offline);
  });

  it('is requested before a load needs it, if its pack is missing', async () => {
    const [pack = ''] = await packsOf(await site.mirror());
    // The renderings with these settings are in another pack.
    await site.loadExactly({ sanitize: 'strict' });
    await rm(pack);
    await site.loadExactly({ sanitize: 'strict' });
    await site.loadExactly({}, offline);
  });

  it('is taken from its row, if rows are the articles', async () => {
    await site.loadExactly({ transform, rows: 'whole' });
    await corruptThird();
    site.strike('article', { kind: 'status', status: 404 });
    await site.loadExactly({ transform, rows: 'whole' });
  });

  it('is requested again with the fields that only its row has, and no others of it', async () => {
    const rewrite = (page: unknown) => {
      const { results, ...rest } = Object(page);
      if (!results) return page;
      const fields = { section: 'coast', both: 'row' };
      return { ...rest, results: results.map((row: object) => ({ ...row, ...fields })) };
    };
    for (const { id } of site.service.articles) site.service.change(id, { both: 'article' });
    site.strike('list', { kind: 'rewrite', rewrite });
    const expected = Array(6).fill('coast article');
    const sections = async () => {
      const { entries, warnings } = await site.load({ transform }, { schema: passing });
      expect(warnings).toEqual([]);
      return [...entries.values()].map(({ data: { section, both } }) => `${section} ${both}`);
    };
    expect(await sections()).toEqual(expected);
    await corruptThird();
    expect(await sections()).toEqual(expected);
    expect(await sections()).toEqual(expected);
  });
});

test('an index with a Git conflict costs one load from the service, and fails an offline load', async () => {
  const path = indexFile(await site.mirror());
  const text = await readFile(path, 'utf8');
  const changed = `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> b\n`;
  await writeFile(path, changed);
  const { failure } = await site.load({}, offline);
  expect(failure).toMatchObject({ code: 'mirror-empty' });
  expect(failure?.message).toContain(`${dirname(path)} does not`);
  expect(failure?.message).toContain('it is corrupt');
  expect(failure?.hint).toContain('npx astro sync');
  site.service.fail({ on: 'list', times: 1, fault: { kind: 'status', status: 503 } });
  expect((await site.loadFails({ retries: 0 })).hint).toContain(`${path} is not used`);
  expect(await readFile(path, 'utf8')).toBe(changed);
  const { warnings } = await site.loadExactly();
  expect(warnings).toEqual([expect.stringContaining(path)]);
  expect((await site.loadExactly()).warnings).toEqual([]);
});
