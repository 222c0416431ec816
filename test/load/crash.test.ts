import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { hash } from '../../src/shared/hash.ts';
import { type FileOperation, type Intervention, watchFiles } from '../helpers/file-faults.ts';
import { fixtureCover } from '../helpers/image-host.ts';
import {
  importedFiles,
  type Load,
  type LoadMore,
  loadSite,
  offline,
  type ShownArticle,
  servedBy,
  shownIn,
  siteState,
} from '../helpers/load-site.ts';
import { createLoaderContext } from '../helpers/loader-context.ts';
import { filesBelow, findMirror } from '../helpers/mirror-folder.ts';

const apiKey = 'crash-test-key-4711';
const codes = ['ENOENT', 'EMFILE', 'EACCES', 'EBUSY', 'EIO', 'ENOSPC', 'EPERM'];
const foreign = ['notes.txt', 'images/my-photo.jpg', 'packs/README.md', 'images/.gitkeep'];

let service: FixtureService;
/** The site whose loads are interrupted, and a copy of it. */
let root: string;
let copy: string;
/** The files of the site after two loads. The service has changed since then. */
let before: Files;
/** Those of them that a load removes: what no index needs any more, and what a killed process left. */
let outdated: Files;
/** The entries of the site. */
let shownBefore: ShownArticle[];

/** The hash of each cover, by its path. */
const covers = new Map<string, string>();

type Files = ReadonlyMap<string, Buffer>;

const mirrorsOf = (folder: string) => join(folder, 'cache/astro-articles');

beforeAll(async () => {
  for (const name of ['pause.gif', 'tides.jpg']) {
    covers.set(`/media/${name}`, hash(await fixtureCover(name)));
  }
  const articles = makeArticles(5, { words: [10, 20], cover: 'pause.gif' });
  service = await startService({ apiKey, articles });
  root = mkdtempSync(join(tmpdir(), 'crash-'));
  copy = mkdtempSync(join(tmpdir(), 'crash-'));
  await load(root);
  const mirror = relative(root, await findMirror(mirrorsOf(root)));
  const first = [...(await readFiles(root))].filter(([name]) => name.endsWith('.pack'));
  for (const { id } of service.articles) service.change(id, { content: `Text of ${id}` });
  const second = await load(root);
  if (second.failure) throw second.failure;
  shownBefore = shownIn(second);

  const files = new Map(await readFiles(root));
  const killed = join(mirror, `index.json.articles-${crypto.randomUUID()}.tmp`);
  const needed = await readFile(join(root, mirror, 'index.json'), 'utf8');
  const unused = first.filter(([name]) => !needed.includes(basename(name)));
  outdated = new Map([...unused, [killed, Buffer.from('a part')]]);
  expect(outdated.size).toBeGreaterThan(1);
  for (const [name, bytes] of outdated) files.set(name, bytes);
  for (const name of foreign) files.set(join(mirror, name), Buffer.from('not of a load'));
  before = files;

  service.change(5, { content: 'changed' });
  service.change(4, { cover_image: '/media/tides.jpg' });
  service.remove(3);
  service.add({ id: 'new', title: 'New', content: 'new', cover_image: null });
});
beforeEach(() => writeFiles(root, before));
afterAll(async () => {
  await service.close();
  for (const folder of [root, copy]) rmSync(folder, { recursive: true, force: true });
});

function load(folder: string, more: LoadMore = {}): Promise<Load> {
  const loaderOptions = { baseUrl: service.url, apiKey, concurrency: 2 };
  return loadSite({ root: folder, ...more }, loaderOptions);
}

async function readFiles(folder: string): Promise<Files> {
  const names = await filesBelow(folder);
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

/** Makes the files of a folder exactly these. */
function writeFiles(folder: string, files: Files): void {
  rmSync(folder, { recursive: true });
  for (const [name, bytes] of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
}

type Disturb = (operation: FileOperation) => Intervention | undefined;

/** Loads while operations on files of the mirror fail. */
async function loadDisturbed(disturb: Disturb) {
  writeFiles(root, before);
  const { operations, stop } = watchFiles(mirrorsOf(root), { before: disturb });
  try {
    return { ...(await load(root)), operations };
  } finally {
    stop();
  }
}

/** Counts the operations on files of the mirror in a load without failures. */
async function countOperations(): Promise<number> {
  const { failure, operations } = await loadDisturbed(() => undefined);
  expect(failure).toBeUndefined();
  expect(operations.length).toBeGreaterThan(10);
  return operations.length;
}

/** Expects the articles of the service, each with its cover. */
function expectCurrent(load: Load, folder: string, name?: string): void {
  expect(load.failure, name).toBeUndefined();
  expect(shownIn(load), name).toEqual(servedBy(service));
  for (const { id, cover_image } of service.articles) {
    const entry = load.entries.get(String(id));
    const files = entry ? importedFiles(folder, entry) : [];
    const hashes = files.map((file) => hash(readFileSync(file)));
    expect(hashes, name).toEqual(cover_image ? [covers.get(String(cover_image))] : []);
  }
}

/** Expects that a load lost nothing, and that the next loads give the right result. */
async function expectSound(): Promise<void> {
  const after = await readFiles(root);
  for (const [name, bytes] of before) {
    if (foreign.some((each) => name.endsWith(`/${each}`))) {
      expect(after.get(name)?.equals(bytes), name).toBe(true);
    }
  }

  // Without the service, the site has either the old or the new entries, and no mixture.
  writeFiles(copy, after);
  const kept = await load(copy, offline);
  expect(kept.failure).toBeUndefined();
  expect([shownBefore, servedBy(service)]).toContainEqual(shownIn(kept));

  service.clearRequests();
  const next = await load(root);
  expectCurrent(next, root);
  expect(next.warnings).toEqual([]);
  const left = await filesBelow(root);
  expect(left.filter((name) => outdated.has(name))).toEqual([]);
  expect(service.requests.flatMap(({ id = [] }) => id)).not.toContain('1');
}

describe('a load in which one file operation fails', () => {
  // Each operation fails with each code if `TEST_SCALE` is set, and with one of them otherwise.
  const isFull = Number(process.env.TEST_SCALE ?? 1) > 1;

  test.each(codes.map((code, index) => [code, index] as const))(
    'with %s loses nothing, whichever it is',
    async (code, turn) => {
      const count = await countOperations();
      const step = isFull ? 1 : codes.length;
      for (let index = isFull ? 0 : turn; index < count; index += step) {
        await failAt(index, code);
        await expectSound();
      }
    },
    600_000,
  );

  async function failAt(index: number, code: string): Promise<void> {
    writeFiles(root, before);
    const state = await siteState(await createLoaderContext({ root }));
    let failed: FileOperation | undefined;
    const done = await loadDisturbed((operation) => {
      if (operation.index !== index) return undefined;
      failed = operation;
      return { kind: 'fail', code };
    });
    const { failure } = done;
    const name = `${code} of ${failed?.name} ${failed?.path}`;
    if (!failure) return expectCurrent(done, root, name);
    expect(failure.name, `${name}: ${failure.stack}`).toBe('ArticlesMirrorError');
    expect(failure.message, name).toContain(root);
    expect(await siteState(await createLoaderContext({ root })), name).toEqual(state);
  }
});

describe('a load that is killed', () => {
  test.each([
    ['between two file operations', false],
    ['while it writes a file', true],
  ])('loses nothing when that happens %s, whichever it is', async (_, torn) => {
    const count = await countOperations();
    for (let index = 0; index < count; index++) {
      let isWrite = false;
      await loadDisturbed((operation) => {
        if (operation.index !== index) return undefined;
        isWrite = operation.name.startsWith('write');
        return { kind: 'kill', torn };
      });
      // Only a write can be interrupted half-way.
      if (!torn || isWrite) await expectSound();
    }
  });
});
