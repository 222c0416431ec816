import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { encodeAddresses } from '../../src/redirects/history.ts';
import { type Intervention, skipFlush, watchFiles } from '../helpers/file-faults.ts';
import { fixtureCover } from '../helpers/image-host.ts';
import { addressesFile, filesBelow, filesOf, readIndex } from '../helpers/mirror-folder.ts';
import {
  importedFiles,
  type Load,
  offline,
  servedBy,
  shownIn,
  useSite,
} from '../helpers/use-site.ts';

const articles = () => makeArticles(4, { words: [10, 20], cover: 'pause.gif' });
const site = useSite({ articles, options: { concurrency: 2, pageSize: 3 } });
const foreign = ['notes.txt', 'images/photo.jpg', 'index.json.bak', 'index.json.1.tmp'];

const fail = (code: string): Intervention => ({ kind: 'fail', code });
const faults: [string, Intervention][] = [
  ['fails with ENOSPC', fail('ENOSPC')],
  ['fails with EACCES', fail('EACCES')],
  ['fails with EIO', fail('EIO')],
  ['is never reached, because the process was killed', { kind: 'kill', torn: false }],
  ['writes a half before the process is killed', { kind: 'kill', torn: true }],
];
// Each operation fails in each way if `TEST_SCALE` is set, and in one of them otherwise.
const step = Number(process.env.TEST_SCALE ?? 1) > 1 ? 1 : faults.length;

it.each(faults.map(([name, fault], turn) => [name, fault, turn % step] as const))(
  'a load in which one file operation %s loses nothing, whichever it is',
  async (_, fault, turn) => {
    onTestFinished(skipFlush());
    await failEach(fault, { turn, shown: [] });
    const { entries, ...load } = await site.loadExactly();
    const mirror = await site.mirror();
    for (const name of foreign) writeFileSync(join(mirror, name), name);
    const lines = [1, 2].map((id) => [`${id}`, new Map([[`former-${id}`, 1]])] as const);
    writeFileSync(addressesFile(mirror), encodeAddresses(new Map(lines)));
    // An edit, a rename with a new cover, a removal, and a new article.
    site.service.change(3, { content: 'Edited.' });
    site.service.change(2, { title: 'Renamed', cover_image: '/media/tides.jpg' });
    site.service.remove(1);
    site.service.add({ id: 5, title: 'New', content: 'New.', cover_image: null });
    await failEach(fault, { turn, shown: shownIn({ entries, ...load }) });
    const names = await filesBelow(mirror);
    for (const name of foreign) expect(names).toContain(name);
  },
  240_000,
);

/** Loads as often as a load has file operations: each time, another one fails, and two other loads follow. */
async function failEach(
  fault: Intervention,
  { turn, shown }: { turn: number; shown: ReturnType<typeof shownIn> },
): Promise<void> {
  const saved = mkdtempSync(join(tmpdir(), 'saved-'));
  cpSync(site.root, saved, { recursive: true });
  const state = await site.state();
  for (let index = turn, count = 1e9; index < count; index += step) {
    rmSync(site.root, { recursive: true });
    cpSync(saved, site.root, { recursive: true });
    const { operations, stop } = watchFiles(join(site.root, 'cache/astro-articles'), {
      before: (operation) => (operation.index === index ? fault : undefined),
    });
    const load = await site.load().finally(stop);
    const { name, path } = operations[index] ?? {};
    if (!path) return rmSync(saved, { recursive: true });
    const place = `${index}: ${name} of ${basename(path)}`;
    if (fault.kind === 'fail' && load.failure) {
      expect(load.failure.name, place).toBe('ArticlesMirrorError');
      expect(await site.state(), place).toEqual(state);
    } else if (fault.kind === 'fail') await expectCurrent(load, place);
    // Without the service, the site has either the old articles or the new ones.
    const kept = await site.load({}, offline);
    if (kept.failure?.code !== 'mirror-empty' || shown.length > 0)
      expect([shown, servedBy(site.service)], place).toContainEqual(shownIn(kept));
    const next = await site.loadExactly();
    expect(next.warnings, place).toEqual([]);
    await expectCurrent(next, place);
    await expectClean(shown.length > 0 ? ['former-2'] : [], place);
  }
}

/** Expects the articles of the service, with their covers. */
async function expectCurrent(load: Load, place: string): Promise<void> {
  expect(shownIn(load), place).toEqual(servedBy(site.service));
  for (const { id, cover_image } of site.service.articles) {
    const files = importedFiles(site.root, load.entries.get(String(id)) ?? expect.fail(place));
    const covers = cover_image ? [await fixtureCover(basename(String(cover_image)))] : [];
    expect(
      files.map((file) => readFileSync(file)),
      place,
    ).toEqual(covers);
  }
}

/** Expects a mirror without files that the index does not need, and without slugs of the article that was removed. */
async function expectClean(former: string[], place: string): Promise<void> {
  const mirror = await site.mirror();
  const packs = (await filesOf(mirror, 'packs')).map((path) => basename(path));
  expect(packs, place).toEqual((await readIndex(mirror)).packs);
  expect(await filesBelow(mirror), place).not.toContainEqual(expect.stringMatching(/-\w+\.tmp$/));
  expect(readFileSync(addressesFile(mirror), 'utf8').match(/former-\d/g) ?? [], place).toEqual(
    former,
  );
}
