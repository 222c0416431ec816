import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { IndexedArticle } from '../../../src/mirror/formats.ts';
import { type Addresses, joinAddresses } from '../../../src/redirects/history.ts';
import { hash } from '../../../src/shared/hash.ts';
import { skipFlush } from '../../helpers/file-faults.ts';
import { runs } from '../../helpers/runs.ts';
import { articleOf, commit, createTemporaryMirror, indexed } from './temporary-mirror.ts';

// A site may commit its mirror. Builds on two branches change it, and Git merges the files.

/** The version of each article. */
type Versions = Record<string, number>;

let folder: Awaited<ReturnType<typeof createTemporaryMirror>>;
beforeEach(async () => {
  folder = await createTemporaryMirror();
  onTestFinished(skipFlush());
});

const ids = ['a', 'b', 'c', 'd', 'e'];
const textOf = (id: string, version: number) => `${hash(`${id} ${version}`)} `.repeat(9);

/** Loads, with a request for each article whose text the mirror does not have. Returns the number of requests. */
function load(versions: Versions) {
  const mirror = folder.open();
  const { addresses: before, notices } = mirror;
  const known = new Map(mirror.index.articles.map((article) => [article.id, article]));
  let requests = 0;
  const articles = Object.entries(versions).map(([id, version]): IndexedArticle => {
    const digest = textOf(id, version);
    const article = known.get(id);
    const isCurrent = article?.digest === digest && mirror.readArticle(article.record);
    if (!isCurrent) requests += 1;
    const record = isCurrent ? article.record : mirror.writeArticle(articleOf(id, digest));
    const key = hash(record);
    const name = mirror.findRendering(key) ?? mirror.writeRendering(key, { html: digest });
    expect(mirror.readRendering(name)).toEqual({ html: digest });
    return indexed(id, digest, record, [name]);
  });
  const current = articles.map(
    ({ id, digest }) => [id, new Map([[digest.slice(0, 8), 1]])] as const,
  );
  commit(mirror, articles, { addresses: new Map(current) });
  mirror.close();
  return { requests, articles, before, addresses: mirror.addresses, notices };
}

/** Expects that a load after a merge has all articles and all addresses of both branches, and that the next one is quiet. */
function expectSound(versions: Versions, ...branches: Addresses[]): number {
  const { requests, before } = load(versions);
  expect(before).toEqual(joinAddresses(...branches));
  const again = load(versions);
  expect(again).toMatchObject({ requests: 0, notices: [] });
  const next = folder.open();
  for (const { id, digest, record } of next.index.articles) {
    expect(next.readArticle(record)).toEqual(articleOf(id, digest));
  }
  expect(next.index.articles).toHaveLength(Object.keys(versions).length);
  next.close();
  return requests;
}

const versions: fc.Arbitrary<Versions> = fc
  .subarray(ids)
  .chain((some) => fc.record(Object.fromEntries(some.map((id) => [id, fc.nat(1)]))));

describe('a mirror that was merged from two branches', () => {
  it('has lost no address, and has all articles after one load, whichever files the merge has taken', () => {
    const reached = { requests: 0, unused: 0, conflicts: 0 };
    const merge = fc.record({
      index: fc.constantFrom('ours', 'theirs', 'conflict', 'lines', 'none'),
      packs: fc.infiniteStream(fc.boolean()),
    });
    const story = fc.tuple(versions, versions, versions, versions, merge);
    fc.assert(
      fc.property(story, ([base, ours, theirs, wanted, { index, packs }]) => {
        const branches = [join(folder.parent, 'ours'), join(folder.parent, 'theirs')];
        for (const path of [folder.folder, ...branches])
          rmSync(path, { recursive: true, force: true });
        const [left, right] = branches.map((branch, place) => {
          rmSync(folder.folder, { recursive: true, force: true });
          load(base);
          const { addresses } = load(place === 0 ? ours : theirs);
          cpSync(folder.folder, branch, { recursive: true });
          return addresses;
        });
        rmSync(folder.folder, { recursive: true, force: true });
        mkdirSync(folder.folder);
        const texts = (name: string) =>
          branches.map((branch) => readFileSync(join(branch, name), 'utf8'));
        const merged = mergeIndex(texts('index.json'), index);
        if (merged !== undefined) writeFileSync(join(folder.folder, 'index.json'), merged);
        writeFileSync(join(folder.folder, 'addresses.json'), conflictOf(texts('addresses.json')));
        for (const branch of branches) {
          for (const name of readdirSync(branch).filter((each) => each.endsWith('.pack'))) {
            if (packs.next().value) cpSync(join(branch, name), join(folder.folder, name));
          }
        }
        reached.requests += expectSound(wanted, left ?? new Map(), right ?? new Map());
        reached.conflicts += index === 'conflict' || index === 'lines' ? 1 : 0;
        reached.unused += Object.keys(wanted).length;
      }),
      runs(100),
    );
    expect(reached.requests).toBeGreaterThan(40);
    expect(reached.unused).toBeGreaterThan(reached.requests);
    expect(reached.conflicts).toBeGreaterThan(10);
  });

  function mergeIndex([ours = '', theirs = '']: string[], how: string): string | undefined {
    if (how === 'none') return undefined;
    if (how === 'ours') return ours;
    if (how === 'theirs') return theirs;
    if (how === 'conflict') return conflictOf([ours, theirs]);
    const lines = theirs.split('\n');
    return ours
      .split('\n')
      .map((line, place) => (place % 2 === 0 ? line : (lines[place] ?? '')))
      .join('\n');
  }

  /** Returns the text that Git leaves where both branches have changed all lines. */
  function conflictOf([ours, theirs]: string[]): string {
    return ours === theirs ? `${ours}` : `<<<<<<< HEAD\n${ours}=======\n${theirs}>>>>>>> theirs\n`;
  }

  it.each([
    ['in different articles', { a: 1, b: 0, c: 0, d: 0, e: 0 }, { a: 0, b: 0, c: 0, d: 0, e: 1 }],
    ['in the same article', { a: 1, b: 0, c: 0, d: 0, e: 0 }, { a: 2, b: 0, c: 0, d: 0, e: 0 }],
    ['by adding and removing', { b: 0, c: 0, d: 0, e: 0 }, { a: 0, b: 0, c: 0, d: 0, e: 0, f: 1 }],
  ])('by Git itself, which have changed %s, has lost no address', (_, ours, theirs) => {
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
        cwd: folder.parent,
        env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
        encoding: 'utf8',
      });
    const save = () => {
      git('add', '-A');
      expect(git('commit', '-qm', 'x').status).toBe(0);
    };
    execFileSync('git', ['init', '-q', '-b', 'main', folder.parent]);
    load({ a: 0, b: 0, c: 0, d: 0, e: 0 });
    save();
    git('checkout', '-qb', 'theirs');
    const other = load(theirs).addresses;
    save();
    git('checkout', '-q', 'main');
    const own = load(ours).addresses;
    save();
    const { stdout } = git('merge', 'theirs');
    expect(stdout).toMatch(/CONFLICT|Merge made|Auto-merging/);
    expect(expectSound({ ...theirs, ...ours }, own, other)).toBeLessThanOrEqual(6);
  });
});
