import { readdirSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { IndexedArticle } from '../../../src/mirror/formats.ts';
import type { Mirror } from '../../../src/mirror/mirror.ts';
import { type Addresses, joinAddresses } from '../../../src/redirects/history.ts';
import { hash } from '../../../src/shared/hash.ts';
import { type FileOperation, type Intervention, skipFlush } from '../../helpers/file-faults.ts';
import { runs } from '../../helpers/runs.ts';
import { articleOf, commit, createTemporaryMirror, indexed } from './temporary-mirror.ts';

// Several processes load into one mirror. Each is an open mirror: a process that is killed leaves its files, and its
// mirror is not used any more.

const ids = ['a', 'b', 'c', 'd', 'e', 'f'];

/** What a load finds: the version of each article, and the fingerprint of the site. */
interface Wanted {
  versions: Record<string, number>;
  fingerprint: number;
}

/** Returns the text of a version, of 50 to 3,000 characters, which does not compress well. */
function textOf(id: string, version: number): string {
  let text = `${id} ${version}`;
  while (text.length < 50 + ((hash(text).charCodeAt(0) * 37 + version * 700) % 2950)) {
    text += hash(text);
  }
  return text;
}

let folder: Awaited<ReturnType<typeof createTemporaryMirror>>;
let processes: (Mirror | undefined)[];
/** The articles that the index on disk may have: the last ones, or, after a race, those of either process. */
let allowed: IndexedArticle[][];
let addresses: Addresses;
const checked = { reads: 0, reused: 0, killed: 0, keptOld: 0, failed: 0, raced: 0 };

beforeEach(async () => {
  folder = await createTemporaryMirror();
  onTestFinished(skipFlush());
});

function begin(count: number): void {
  rmSync(folder.folder, { recursive: true, force: true });
  processes = Array.from({ length: count }, () => folder.open());
  allowed = [[]];
  addresses = new Map();
}

/** Writes what a load fetches and renders, and returns its articles. */
function write(mirror: Mirror, { versions, fingerprint }: Wanted): IndexedArticle[] {
  const before = new Map(mirror.index.articles.map((article) => [article.id, article]));
  return Object.entries(versions).map(([id, version]) => {
    const text = textOf(id, version);
    const record = mirror.writeArticle(articleOf(id, text));
    const key = hash(`${fingerprint} ${record}`);
    const former = before.get(id)?.renderings.map((rendering) => rendering.name) ?? [];
    const known = former.find((name) => name.startsWith(key));
    if (known) checked.reused += 1;
    const name = known ?? mirror.writeText(`${fingerprint} ${text}`, key);
    const names = [name, ...former.filter((other) => other !== name)].slice(0, 2);
    return indexed(id, text, record, names);
  });
}

function addressesOf(articles: readonly IndexedArticle[]): Addresses {
  return new Map(
    articles.map(({ id, title }) => [id, new Map([[title.slice(0, 3).replaceAll(' ', '-'), 1]])]),
  );
}

/** Loads in a process, and commits. The caller says what the index on disk may be then. */
function load(mirror: Mirror, wanted: Wanted, withAddresses = true): IndexedArticle[] {
  const articles = write(mirror, wanted);
  commit(mirror, articles, { addresses: withAddresses ? addressesOf(articles) : new Map() });
  return articles;
}

/** Expects that a process can read all that its index names, and that it is right. */
function expectReadable(mirror: Mirror, articles: readonly IndexedArticle[]): void {
  for (const { id, title, record, renderings } of articles) {
    expect(mirror.has(record)).toBe(true);
    expect(mirror.readArticle(record)).toEqual(articleOf(id, title));
    for (const { name } of renderings) {
      expect(mirror.readText(name)).toMatch(/^\d [a-f] \d/);
      checked.reads += 1;
    }
    checked.reads += 1;
  }
}

/** Expects that nothing is lost: for a process that starts now, and for those that are running. */
function expectNothingLost(): void {
  const next = folder.open();
  expect(next.notices).toEqual([]);
  expect(allowed).toContainEqual(next.index.articles);
  expectReadable(next, next.index.articles);
  for (const mirror of processes) if (mirror) expectReadable(mirror, mirror.index.articles);
  expect(joinAddresses(next.addresses, addresses)).toEqual(next.addresses);
  next.close();
}

const wanted: fc.Arbitrary<Wanted> = fc.record({
  versions: fc
    .subarray(ids)
    .chain((some) => fc.record(Object.fromEntries(some.map((id) => [id, fc.nat(3)])))),
  fingerprint: fc.nat(2),
});
const at = fc.nat(30);
const who = fc.nat(2);
const kinds = {
  load: fc.record({ kind: fc.constant('load' as const), who, wanted }),
  /** A load that fails before its commit: what it has written stays. */
  fail: fc.record({ kind: fc.constant('fail' as const), who, wanted }),
  restart: fc.record({ kind: fc.constant('restart' as const), who }),
  kill: fc.record({ kind: fc.constant('kill' as const), who, wanted, at, torn: fc.boolean() }),
  fault: fc.record({
    ...{ kind: fc.constant('fault' as const), who, wanted, at },
    code: fc.constantFrom('ENOSPC', 'EIO', 'EMFILE', 'EPERM', 'ENOENT'),
  }),
  /** Another process loads and commits before an operation of a commit, or starts there. */
  race: fc.record({
    ...{ kind: fc.constant('race' as const), who, wanted, at },
    ...{ other: wanted, starts: fc.boolean() },
  }),
};
type Step = {
  [Kind in keyof typeof kinds]: (typeof kinds)[Kind] extends fc.Arbitrary<infer T> ? T : never;
}[keyof typeof kinds];

/** Loads while one operation is disturbed. Nothing of a commit fails after the index is written. */
function disturbLoad(
  mirror: Mirror,
  step: { wanted: Wanted; at: number },
  intervention: Intervention,
) {
  // No system says that a file of addresses is missing while it is there, or a file that is open.
  const isThere = ({ name, path }: FileOperation) =>
    path.endsWith('addresses.json') || /^(?:close|fstat|read)Sync$/.test(name);
  const isMissing = 'code' in intervention && intervention.code === 'ENOENT';
  const before = (operation: FileOperation) =>
    operation.index === step.at && !(isMissing && isThere(operation)) ? intervention : undefined;
  return folder.disturb(before, () => {
    allowed = [load(mirror, step.wanted)];
  });
}

function take(step: Step): void {
  const mirror = processes[step.who] ?? folder.open();
  processes[step.who] = mirror;
  switch (step.kind) {
    case 'restart':
      mirror.close();
      processes[step.who] = folder.open();
      return;
    case 'fail':
      write(mirror, step.wanted);
      return;
    case 'load': {
      const articles = load(mirror, step.wanted);
      allowed = [articles];
      addresses = joinAddresses(addresses, addressesOf(articles));
      return;
    }
    case 'kill': {
      const { error } = disturbLoad(mirror, step, { kind: 'kill', torn: step.torn });
      mirror.close();
      processes[step.who] = undefined;
      checked.killed += 1;
      checked.keptOld += error ? 1 : 0;
      return;
    }
    case 'fault': {
      const { error } = disturbLoad(mirror, step, { kind: 'fail', code: step.code });
      checked.failed += error ? 1 : 0;
      // The same process may try again.
      if (error) allowed = [load(mirror, step.wanted)];
      return;
    }
    case 'race': {
      const other = processes.find((each) => each && each !== mirror) ?? folder.open();
      let ofOther: IndexedArticle[] | undefined;
      const before = ({ index }: FileOperation) => {
        if (index !== step.at) return undefined;
        if (step.starts) processes.push(folder.open());
        else ofOther = load(other, step.other, false);
        checked.raced += 1;
        return undefined;
      };
      let articles: IndexedArticle[] = [];
      folder.disturb(before, () => {
        articles = load(mirror, step.wanted, false);
      });
      allowed = [articles, ...(ofOther ? [ofOther] : [])];
      if (!processes.includes(other)) other.close();
      return;
    }
  }
}

describe('several processes with one mirror', () => {
  it('lose nothing that an index names in any order of events, and wherever they are killed', () => {
    const story = fc.array(fc.oneof(...Object.values(kinds)), { maxLength: 25 });
    fc.assert(
      fc.property(story, (steps) => {
        begin(3);
        for (const step of steps) {
          take(step as Step);
          expectNothingLost();
        }
        for (const mirror of processes) mirror?.close();
      }),
      runs(100),
    );
    for (const count of Object.values(checked)) expect(count).toBeGreaterThan(15);
  });

  /** Runs a commit of a second load, disturbed before each of its operations in turn. */
  function disturbEach(disturbance: (mirror: Mirror) => Intervention | undefined): number {
    const second = { versions: { b: 1, c: 0, d: 0 }, fingerprint: 1 };
    for (let place = 0; ; place++) {
      begin(2);
      const [mirror, other] = processes;
      if (!mirror || !other) throw new Error('no processes');
      const before = load(mirror, first);
      processes[1] = folder.open();
      let isReached = false;
      let articles = before;
      const { error } = folder.disturb(
        ({ index }) => {
          if (index !== place) return undefined;
          isReached = true;
          return disturbance(processes[1] ?? other);
        },
        () => {
          articles = load(mirror, second, false);
        },
      );
      if (!isReached) return place;
      allowed = [...(error ? [before] : [articles]), ...allowed.slice(1)];
      expectNothingLost();
      // What is left over goes with the next load.
      const next = folder.open();
      load(next, second);
      const packs = next.index.packs;
      const names = readdirSync(folder.folder).filter((name) => name !== 'images');
      expect(names.toSorted()).toEqual([...packs, 'addresses.json', 'index.json'].toSorted());
      for (const each of [...processes, other, next]) each?.close();
    }
  }

  const first = { versions: { a: 0, b: 0, c: 0 }, fingerprint: 0 };
  const third = { versions: { a: 0, b: 0, e: 1 }, fingerprint: 2 };
  // Each returns the articles that another process commits, or how the process itself is killed.
  it.each<[string, (other: Mirror) => IndexedArticle[] | Intervention | undefined]>([
    ['another one commits', (other) => load(other, third, false)],
    [
      'another one commits what it has taken from the same load',
      (other) => load(other, first, false),
    ],
    ['another one starts', () => void processes.push(folder.open())],
    ['it is killed', () => ({ kind: 'kill', torn: false })],
    ['it is killed in a write', () => ({ kind: 'kill', torn: true })],
  ])('lose nothing when %s before any operation of a commit', (_, disturbance) => {
    const places = disturbEach((other) => {
      const result = disturbance(other);
      allowed = [[], ...(Array.isArray(result) ? [result] : [])];
      return Array.isArray(result) ? undefined : result;
    });
    expect(places).toBeGreaterThan(15);
  });

  it('start with what their index names, while another one commits', () => {
    const changed = { versions: { a: 1, b: 1, c: 1 }, fingerprint: 0 };
    for (let place = 0, isReached = true; isReached; place++) {
      begin(1);
      const other = processes[0] ?? expect.fail();
      load(other, first);
      isReached = false;
      const before = ({ index }: FileOperation) => {
        if (index !== place) return undefined;
        isReached = true;
        load(other, changed);
        return undefined;
      };
      folder.disturb(before, () => processes.push(folder.open()));
      for (const each of processes) if (each) expectReadable(each, each.index.articles);
      for (const each of processes) each?.close();
    }
  });
});
