import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { type FileOperation, type Intervention, watchFiles } from '../helpers/file-faults.ts';
import {
  type Load,
  loadSite,
  type ShownArticle,
  servedBy,
  shownIn,
  siteState,
} from '../helpers/load-site.ts';
import { createLoaderContext } from '../helpers/loader-context.ts';
import { filesBelow, isDerived } from '../helpers/mirror-folder.ts';

const apiKey = 'crash-test-key-4711';
const codes = ['ENOENT', 'EMFILE', 'EACCES', 'EBUSY', 'EIO', 'ENOSPC', 'EPERM'];
const foreign = ['notes.txt', 'images/my-photo.jpg', 'articles/README.md', 'rendered/.gitkeep'];
const program = fileURLToPath(new URL('./crash-program.ts', import.meta.url));

let service: FixtureService;
/** A site that was loaded once. Since then the service has changed. */
let template: string;
/** The files of its mirror, with their bytes. */
let before: Map<string, string>;
/** What the site shows. */
let shownBefore: ShownArticle[];

const mirrorsOf = (root: string) => join(root, 'cache/astro-articles');

beforeAll(async () => {
  const articles = makeArticles(5, { words: [10, 20], cover: 'pause.gif' });
  service = await startService({ apiKey, articles });
  template = await mkdtemp(join(tmpdir(), 'crash-'));
  const first = await load(template);
  if (first.failure) throw first.failure;
  shownBefore = shownIn(first);

  const { mirrors } = first.context;
  const [index = ''] = (await filesBelow(mirrors)).filter((name) => name.endsWith('index.json'));
  for (const name of foreign) {
    const path = join(mirrors, dirname(index), name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'not of this package');
  }
  before = await bytesBelow(template);

  service.change(5, { content: 'changed' });
  service.change(4, { cover_image: '/media/tides.jpg' });
  service.remove(3);
  service.add({ id: 'new', title: 'New', content: 'new', cover_image: null });
});
afterAll(async () => {
  await service.close();
  await rm(template, { recursive: true, force: true });
});

function load(root: string, options: object = {}): Promise<Load> {
  return loadSite({ root }, { baseUrl: service.url, apiKey, concurrency: 2, ...options });
}

async function bytesBelow(root: string): Promise<Map<string, string>> {
  const folder = mirrorsOf(root);
  const names = await filesBelow(folder);
  const texts = names.map(
    async (name): Promise<[string, string]> => [name, await readFile(join(folder, name), 'latin1')],
  );
  return new Map(await Promise.all(texts));
}

async function onCopy<T>(site: string, task: (root: string) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'crash-'));
  try {
    await cp(site, root, { recursive: true, preserveTimestamps: true });
    return await task(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

type Disturb = (operation: FileOperation) => Intervention | undefined;

/** Loads while operations on files of the mirror are disturbed. */
async function loadDisturbed(root: string, disturb: Disturb) {
  const { operations, stop } = watchFiles(mirrorsOf(root), { before: disturb });
  try {
    return { ...(await load(root)), operations };
  } finally {
    stop();
  }
}

/** Loads undisturbed, and returns the operations on files of the mirror. */
function operationsOfALoad(): Promise<FileOperation[]> {
  return onCopy(template, async (root) => {
    const { failure, operations } = await loadDisturbed(root, () => undefined);
    expect(failure).toBeUndefined();
    return operations;
  });
}

/** Expects that a load lost nothing, and that the next ones are right. */
async function expectSound(root: string): Promise<void> {
  const after = await bytesBelow(root);
  for (const [name, bytes] of before) {
    const mayChange = name.endsWith('index.json') || isDerived(name);
    if (!mayChange || name.endsWith('.gitkeep')) expect(after.get(name), name).toBe(bytes);
  }

  // Without the service, the site is what it was or what it was to become, and nothing in between.
  const offline = await onCopy(root, (copy) => load(copy, { offline: true }));
  expect(offline.failure).toBeUndefined();
  expect([shownBefore, servedBy(service)]).toContainEqual(shownIn(offline));

  service.clearRequests();
  const next = await load(root);
  expect(next.failure).toBeUndefined();
  expect(next.warnings).toEqual([]);
  expect(shownIn(next)).toEqual(servedBy(service));
  expect(service.requests.flatMap(({ id = [] }) => id)).not.toContain('1');
}

describe('a load in which one file operation fails', () => {
  test.each(codes)('D11, D28: with %s loses nothing, whichever it is', async (code) => {
    const { length } = await operationsOfALoad();
    expect(length).toBeGreaterThan(10);
    for (let index = 0; index < length; index++) {
      await onCopy(template, async (root) => {
        const state = await siteState(await createLoaderContext({ root }));
        let failed: FileOperation | undefined;
        const done = await loadDisturbed(root, (operation) => {
          if (operation.index !== index) return undefined;
          failed = operation;
          return { kind: 'fail', code };
        });
        const { failure } = done;
        const name = `${code} of ${failed?.name} ${failed?.path}`;
        if (failure) {
          expect(failure.name, `${name}: ${failure.stack}`).toBe('ArticlesMirrorError');
          expect(failure.message, name).toContain(root);
          expect(await siteState(await createLoaderContext({ root })), name).toEqual(state);
        } else {
          expect(shownIn(done), name).toEqual(servedBy(service));
        }
        await expectSound(root);
      });
    }
  });
});

describe('a load that is killed', () => {
  test.each([
    ['between two file operations', false],
    ['while it writes a file', true],
  ])('row 62: loses nothing when that happens %s, whichever it is', async (_, torn) => {
    const operations = await operationsOfALoad();
    for (const { index } of operations) {
      await onCopy(template, async (root) => {
        await loadDisturbed(root, (operation) =>
          operation.index === index ? { kind: 'kill', torn } : undefined,
        );
        await expectSound(root);
      });
    }
  });

  it('row 62: loses nothing when a signal ends the process', async () => {
    const { length } = await operationsOfALoad();
    const steps = 6;
    for (let step = 1; step < steps; step++) {
      await onCopy(template, async (root) => {
        await runAndKill(root, Math.floor((step * length) / steps));
        await expectSound(root);
      });
    }
  });
});

/** Loads in a process of its own, which kills itself after the given operation. */
function runAndKill(root: string, last: number): Promise<void> {
  const args = [program, root, mirrorsOf(root), service.url, apiKey, String(last)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (_, signal) => {
      if (signal === 'SIGKILL') resolve();
      else reject(new Error('the process was not killed'));
    });
  });
}
