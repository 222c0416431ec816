import { readdirSync, rmSync } from 'node:fs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { IndexedArticle } from '../../../src/mirror/formats.ts';
import type { Mirror } from '../../../src/mirror/mirror.ts';
import { hash } from '../../../src/shared/hash.ts';
import { type Intervention, skipFlush } from '../../helpers/file-faults.ts';
import { isLong } from '../../helpers/runs.ts';
import { articleOf, commit, createTemporaryMirror, indexed } from './temporary-mirror.ts';

// Several processes load into one mirror, and one operation of a load is disturbed: each one in turn. Each process is an
// open mirror: one that is killed leaves its files. Longer stories are in test/simulation.

/** What a load finds: the version of each article, and the fingerprint of the site. */
interface Wanted {
  versions: Record<string, number>;
  fingerprint: number;
}

const first: Wanted = { versions: { a: 0, b: 0, c: 0 }, fingerprint: 0 };
const second: Wanted = { versions: { a: 0, b: 1, c: 0, d: 0 }, fingerprint: 1 };
const third: Wanted = { versions: { a: 0, b: 0, e: 1 }, fingerprint: 2 };
/** Has the articles of the first one in other versions, so that its packs are removed. */
const changed: Wanted = { versions: { a: 1, b: 1, c: 1 }, fingerprint: 0 };
/** Has nothing of the others, so that their packs are removed. */
const foreign: Wanted = { versions: { x: 0 }, fingerprint: 3 };

/** Returns the text of a version. No two have the same length. */
function textOf(id: string, version: number): string {
  const words = 10 + 20 * (id.charCodeAt(0) - 96) + version;
  return `${id} ${version}${' word'.repeat(words)}`;
}

let folder: Awaited<ReturnType<typeof createTemporaryMirror>>;
let processes: Mirror[];

beforeEach(async () => {
  folder = await createTemporaryMirror();
  onTestFinished(skipFlush());
});

/** Begins a story with one process. */
function begin(): Mirror {
  rmSync(folder.folder, { recursive: true, force: true });
  const mirror = folder.open();
  processes = [mirror];
  return mirror;
}

/** Writes what a load fetches and renders, and commits it. Returns its articles. */
function load(mirror: Mirror, { versions, fingerprint }: Wanted): IndexedArticle[] {
  const before = new Map(mirror.index.articles.map((article) => [article.id, article]));
  const articles = Object.entries(versions).map(([id, version]) => {
    const text = textOf(id, version);
    const record = mirror.writeArticle(articleOf(id, text));
    const name = mirror.writeText(`${fingerprint} ${text}`, hash(`${fingerprint} ${record}`));
    const former = before.get(id)?.renderings.map((rendering) => rendering.name) ?? [];
    return indexed(id, text, record, [name, ...former.filter((each) => each !== name)].slice(0, 2));
  });
  const images = articles.map(({ title: url }) => {
    const file = mirror.writeImage(Buffer.from(url), 'png');
    return [url, { url, file, bytes: Buffer.byteLength(url), freshUntil: 1 }] as const;
  });
  const paths = articles.map(({ id }) => [id, new Map([[`0 slug-${id}`, 1]])] as const);
  commit(mirror, articles, { paths: new Map(paths), images: new Map(images) });
  return articles;
}

/** Expects that a process can read all that its index names, and that it is right. */
function expectReadable(mirror: Mirror): void {
  for (const { id, title, record, renderings } of mirror.index.articles) {
    expect(mirror.has(record)).toBe(true);
    expect(mirror.readArticle(record)).toEqual(articleOf(id, title));
    for (const { name } of renderings) expect(mirror.readText(name)).toMatch(/^\d [a-z] \d/);
  }
}

/** Expects that nothing is lost: for a process that starts now, and for those that are running. */
function expectNothingLost(allowed: IndexedArticle[][], hasImages = true): void {
  const next = folder.open();
  expect(next.notices).toEqual([]);
  expect(allowed).toContainEqual(next.index.articles);
  const ids = [...Object.keys(first.versions), ...next.index.articles.map(({ id }) => id)];
  expect([...next.paths.keys()]).toEqual(expect.arrayContaining(ids));
  for (const mirror of [next, ...processes]) expectReadable(mirror);
  // They stay for one load more, and not for two.
  const images = hasImages ? [...next.index.images.values()] : [];
  for (const image of images) expect(next.hasImage(image)).toBe(true);
  next.close();
}

describe('several processes with one mirror', () => {
  // Each returns the articles that another process commits, or how the process itself is disturbed.
  it.each<[string, (other: Mirror) => IndexedArticle[] | Intervention | undefined, Wanted?]>([
    ['another one commits before it', (other) => load(other, third)],
    ['another one commits other articles before it', (other) => load(other, foreign)],
    ['another one commits what it has taken from the same load', (other) => load(other, first)],
    ['another one commits what it needs no longer', (other) => load(other, first), changed],
    ['another one starts before it', () => void processes.push(folder.open())],
    ['the process is killed before it', () => ({ kind: 'kill', torn: false })],
    ['the process is killed in it', () => ({ kind: 'kill', torn: true })],
    ['it fails with ENOSPC', () => ({ kind: 'fail', code: 'ENOSPC' })],
    ['it fails with EPERM', () => ({ kind: 'fail', code: 'EPERM' })],
  ])('lose nothing in any file operation of a load, when %s', (_, disturb, wanted = second) => {
    let story = 0;
    // Until two stories have no such operation.
    for (let missed = 0; missed < 2; story++) {
      const place = isLong ? Math.floor(story / 2) : story;
      const mirror = begin();
      let before = load(mirror, first);
      const running = folder.open();
      processes.push(running);
      // In every other story, another one has also committed since the process began.
      const hasChanged = story % 2 === 1;
      if (hasChanged) before = load(running, foreign);
      missed += 1;
      let articles = before;
      const ofOther: IndexedArticle[][] = [];
      const { error } = folder.disturb(
        ({ index }) => {
          if (index !== place) return undefined;
          missed = 0;
          const result = disturb(running);
          if (!Array.isArray(result)) return result;
          ofOther.push(result);
          return undefined;
        },
        () => {
          articles = load(mirror, wanted);
        },
      );
      // A commit that fails has changed nothing.
      const isOtherOnce = !hasChanged || ofOther.length === 0;
      expectNothingLost([error ? before : articles, ...ofOther], isOtherOnce);
      // What is left over goes with the next load.
      const next = folder.open();
      load(next, second);
      const names = readdirSync(folder.folder).filter((name) => name !== 'images');
      const expected = [...next.index.packs, 'paths.jsonl', 'index.json', '.gitattributes'];
      expect(names.toSorted()).toEqual(expected.toSorted());
      for (const each of [...processes, next]) each.close();
    }
    expect(story).toBeGreaterThan(15);
  });

  it('start with what their index names, while another one commits', () => {
    for (let place = 0, isReached = true; isReached; place++) {
      const other = begin();
      load(other, first);
      isReached = false;
      const before = ({ index }: { index: number }) => {
        if (index !== place) return undefined;
        isReached = true;
        load(other, changed);
        return undefined;
      };
      folder.disturb(before, () => processes.push(folder.open()));
      for (const each of processes) expectReadable(each);
      for (const each of processes) each.close();
    }
  });
});
