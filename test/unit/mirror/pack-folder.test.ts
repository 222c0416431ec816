import {
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { makePack } from '../../../src/mirror/pack.ts';
import { openPackFolder, type PackFolder } from '../../../src/mirror/pack-folder.ts';
import { hash } from '../../../src/shared/hash.ts';
import { watchFiles } from '../../helpers/file-faults.ts';
import { corrupt, recordsOf } from '../../helpers/mirror-folder.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const hour = 3_600_000;
const day = 24 * hour;
let folder: string;
let now: number;
/** The time of the last commit, and the records that it used. */
let last: { time: number; used: string[] };
const open = (packBytes = 4_000) => openPackFolder(folder, { date: () => now, packBytes });

beforeEach(async () => {
  folder = await temporaryFolder();
  now = Date.now() + day;
  last = { time: 0, used: [] };
});

/** Returns a text of a length, which has about half its size in a pack. */
function textOf(seed: string, length: number): string {
  let text = seed;
  while (text.length < length) text += hash(text);
  return text;
}
/** Texts of 20 to 2,000 characters, by name. */
const texts = new Map(
  Array.from({ length: 60 }, (_, index) => {
    const text = textOf(`${index}`, 20 + ((index * 397) % 1980));
    return [hash(text), text];
  }),
);
const names = [...texts.keys()];

async function write(packs: PackFolder, some: readonly string[]): Promise<void> {
  for (const name of some) await packs.write(name, texts.get(name) ?? '');
}

/** Writes texts that are not in the list above. Returns their names. */
async function writeTexts(packs: PackFolder, some: readonly string[]): Promise<string[]> {
  for (const text of some) await packs.write(hash(text), text);
  await packs.flush();
  return some.map(hash);
}

/** Commits like a load of articles, or, with a grace period, of renderings. */
async function commit(packs: PackFolder, used: readonly string[], grace?: number): Promise<void> {
  await packs.flush();
  const { time: since, used: before } = last;
  const usedBefore = new Set(before);
  last = { time: now, used: [...used] };
  const clean = { used: new Set(used), usedBefore, since, grace: hour };
  await packs.clean(grace === undefined ? clean : { used: new Set(used), grace });
}

/** Returns which of the records can be read; what is read is right. */
function readable(packs: PackFolder, some: Iterable<string>): string[] {
  return [...some].filter((name) => {
    const text = packs.read(name)?.toString();
    expect([undefined, texts.get(name)]).toContain(text);
    return text !== undefined;
  });
}

const files = () =>
  (existsSync(folder) ? readdirSync(folder) : []).map((name) => join(folder, name));
const bytesOnDisk = () => files().reduce((sum, path) => sum + statSync(path).size, 0);
const isOnDisk = (text: string) => open().read(hash(text))?.toString() === text;

type Step =
  | { kind: 'write' | 'commit'; some: string[] }
  | { kind: 'reopen' | 'wait' | 'other' }
  | { kind: 'spoil'; at: number };

const some = fc.subarray(names);
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), some }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('commit' as const), some }) },
    fc.record({ kind: fc.constantFrom('reopen' as const, 'wait' as const, 'other' as const) }),
    fc.record({ kind: fc.constant('spoil' as const), at: fc.nat() }),
  ),
  { maxLength: 40 },
);

test('a committed record is lost only when its file is changed, and never read wrong, with two processes', async () => {
  const reached = { kept: 0, corrupt: 0, healed: 0 };
  await fc.assert(
    fc.asyncProperty(steps, async (story: Step[]) => {
      rmSync(folder, { recursive: true, force: true });
      last = { time: 0, used: [] };
      let [packs, other] = [open(), open()];
      const lost = new Set<string>();
      for (const step of story) {
        if (step.kind === 'write') await write(packs, step.some);
        if (step.kind === 'reopen') packs = open();
        if (step.kind === 'wait') now += 2 * hour;
        if (step.kind === 'other') [packs, other] = [other, packs];
        if (step.kind === 'commit') {
          // A load commits what it has read or written.
          const kept = readable(packs, step.some);
          const missing = step.some.filter((name) => !kept.includes(name));
          await write(packs, missing);
          reached.healed += missing.filter((name) => lost.delete(name)).length;
          await commit(packs, step.some);
        }
        if (step.kind === 'spoil') {
          reached.corrupt += spoilPack(step.at);
          const left = readable(open(), last.used);
          for (const name of last.used) if (!left.includes(name)) lost.add(name);
          last.used = left;
        }
        expect(readable(open(), last.used)).toEqual(last.used);
        reached.kept += last.used.length;
      }
    }),
    { numRuns: 150 },
  );
  for (const count of Object.values(reached)) expect(count).toBeGreaterThan(0);
});

/** Cuts a pack, or changes its end. Returns the number of packs that it found. */
function spoilPack(at: number): number {
  const all = files();
  const path = all[at % all.length];
  if (!path) return 0;
  const bytes = readFileSync(path);
  const place = at % bytes.length;
  if (at % 2 === 0) truncateSync(path, place);
  else writeFileSync(path, bytes.fill(~(bytes[place] ?? 0), place));
  return 1;
}

/** Commits like loads of which each adds one record. */
async function commitEach(): Promise<void> {
  const used: string[] = [];
  for (const name of names) {
    const packs = open();
    used.push(name);
    await write(packs, [name]);
    await commit(packs, used);
    now += 2 * hour;
  }
}

describe('a folder of packs', () => {
  it('is the same, byte by byte, for the same records in any order', async () => {
    const contents = new Set<string>();
    for (const order of [names.slice(0, 8), names.slice(0, 8).toReversed()]) {
      const packs = open(1e6);
      await write(packs, order);
      await packs.flush();
      contents.add(
        files()
          .map((path) => `${path} ${readFileSync(path, 'hex')}`)
          .join(),
      );
      for (const path of files()) rmSync(path);
    }
    expect(contents.size).toBe(1);
  });

  it('is not changed by opening it, reading it, or writing what it has', async () => {
    await commitEach();
    const before = files().map((path) => [path, statSync(path).mtimeMs]);
    now = Math.min(...files().map((path) => statSync(path).mtimeMs));
    const packs = open();
    expect(readable(packs, names)).toEqual(names);
    await write(packs, names);
    await packs.flush();
    expect(files().map((path) => [path, statSync(path).mtimeMs])).toEqual(before);
  });

  it('is read by a process that opened it before another one replaced and removed its packs', async () => {
    await commitEach();
    const early = open();
    const used = names.filter((_, index) => index % 7 === 0);
    for (let load = 0; load < 3; load++) {
      await commit(open(), used);
      now += 2 * hour;
    }
    expect(readable(early, used)).toEqual(used);
    expect(readable(early, names).length).toBeLessThan(names.length / 2);
  });

  it('loses nothing when two records are written at once that are each as large as a pack', async () => {
    const packs = open();
    const large = [textOf('a', 9_000), textOf('b', 9_000)];
    await Promise.all(large.map((text) => packs.write(hash(text), text)));
    expect(recordsOf(files()).map(({ text }) => text)).toEqual(expect.arrayContaining(large));
    expect(recordsOf(files())).toHaveLength(2);
  });

  it('keeps an intact copy of a record while another one, which counts, is corrupt', async () => {
    const text = textOf('x', 300);
    const [one, two] = [open(), open()];
    await writeTexts(one, [text, textOf('p', 300)]);
    await writeTexts(two, [text, textOf('q', 300)]);
    const [first = ''] = files().toSorted();
    await corrupt(recordsOf([first]));
    for (let load = 0; load < 3; load++) {
      now += 2 * hour;
      await commit(open(), [hash(text)]);
    }
    expect(isOnDisk(text)).toBe(true);
  });

  it('keeps records of a cut pack that another process reads', async () => {
    const all = ['a', 'b', 'c'].map((seed) => textOf(seed, 300));
    const [a = '', b = '', c = ''] = all.toSorted((x, y) => (hash(x) < hash(y) ? -1 : 1));
    await commit(open(), await writeTexts(open(), all));
    const [path = ''] = files();
    truncateSync(path, statSync(path).size - 1);
    const [running, next] = [open(), open()];
    await writeTexts(next, [c]);
    await commit(next, [b, c].map(hash));
    expect(running.read(hash(a))?.toString()).toBe(a);
  });
});

interface Changes {
  /** The time between two loads in ms. */
  time: number;
  /** Whether each load finds files with new times. */
  isCheckout?: boolean;
  /** The number of articles of which one changes in each load. */
  changing?: number;
  grace?: number;
}

describe('the space of packs', () => {
  it('is that of a few files after many loads with a change', async () => {
    const whole = open();
    await write(whole, names);
    await whole.flush();
    const [least, number] = [bytesOnDisk(), files().length];
    for (const path of files()) rmSync(path);
    await commitEach();
    await commit(open(), names);
    expect(files().length).toBeLessThan(number + 10);
    expect(bytesOnDisk()).toBeLessThan(1.3 * least);
    expect(readable(open(), names)).toEqual(names);
  });

  it('is at most twice that of the records in use, two hours later', async () => {
    await commitEach();
    for (const number of [20, 5, 1, 0]) {
      const used = names.slice(10, 10 + number);
      for (let load = 0; load < 3; load++) {
        await commit(open(), used);
        now += 2 * hour;
      }
      const alone = used.reduce((sum, name) => sum + (texts.get(name)?.length ?? 0), 0);
      expect(bytesOnDisk()).toBeLessThanOrEqual(1.2 * alone + 150 * used.length);
      expect(readable(open(), used)).toEqual(used);
    }
    expect(files()).toEqual([]);
  });

  it.each<[string, Changes]>([
    ['daily, of articles', { time: day }],
    ['daily, with new times of all files', { time: day, isCheckout: true }],
    ['daily, always the same one, with new times', { time: day, isCheckout: true, changing: 1 }],
    ['hourly, of renderings', { time: hour, grace: 7 * day }],
  ])('stays small when one of many changes in each load (%s)', async (_, kind) => {
    const { time, isCheckout = false, changing = 170, grace } = kind;
    let current = Array.from({ length: 170 }, (_, index) => textOf(`base ${index}`, 20));
    await writeTexts(open(16_000), current);
    const least = bytesOnDisk();
    const written = new Map<string, number>();
    for (let load = 0; load < 300; load++) {
      now += time;
      const date = new Date(now);
      if (isCheckout) for (const path of files()) utimesSync(path, date, date);
      current = current.with(load % changing, textOf(`load ${load}`, 20));
      const packs = open(16_000);
      await writeTexts(packs, current);
      await commit(packs, current.map(hash), grace);
      for (const path of files()) written.set(path, statSync(path).size);
    }
    expect(bytesOnDisk()).toBeLessThan(4 * least);
    expect(files().length).toBeLessThan(20);
    const all = [...written.values()].reduce((sum, size) => sum + size, 0);
    expect(all).toBeLessThan(20 * least);
    expect(current.filter(isOnDisk)).toEqual(current);
  });

  it('becomes free on a full disk, too', async () => {
    const old = textOf('old', 3_000);
    await writeTexts(open(), [old]);
    const all = Array.from({ length: 9 }, (_, index) => textOf(`${index}`, 300));
    for (const text of all) await writeTexts(open(), [text]);
    now += 2 * hour;
    const { stop } = watchFiles(folder, {
      before: ({ name }) =>
        name === 'writeFileSync' ? { kind: 'fail', code: 'ENOSPC' } : undefined,
    });
    await commit(open(), all.map(hash)).finally(stop);
    expect(isOnDisk(old)).toBe(false);
    expect(all.filter(isOnDisk)).toEqual(all);
  });
});

describe('a file that this package did not write', () => {
  /** Writes a pack with a table and the right name. */
  function put(table: string, records = Buffer.alloc(0)): void {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(Buffer.byteLength(table));
    writeFileSync(
      join(folder, `${hash(table)}.pack`),
      Buffer.concat([head, Buffer.from(table), records]),
    );
  }
  const row = (length: unknown, name = names[0]) =>
    JSON.stringify({ written: 1, replaces: [], records: [[name, length]] });

  it.each([
    ['a record that ends behind the file', row(9_999)],
    ['a record of another type', JSON.stringify({ written: 1, replaces: [], records: [7] })],
    ['a negative length', row(-1)],
    ['a name outside the folder', row(1, '../x')],
    [
      'millions of wrong rows',
      `{"written":1,"replaces":[],"records":[${'["x",-1],'.repeat(3e5)}7]}`,
    ],
    [
      'a name that is nested too deep for text',
      `{"written":1,"replaces":[],"records":[[${'['.repeat(2e5)}${']'.repeat(2e5)},1]]}`,
    ],
    ['another shape', '{"records":1}'],
    ['no JSON', 'x'],
  ])('has no records if its table has %s', async (_, table) => {
    put(table);
    const packs = open();
    expect(readable(packs, names)).toEqual([]);
    await write(packs, names);
    await packs.flush();
    expect(readable(open(), names)).toEqual(names);
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link to itself', (path: string) => symlinkSync(path, path)],
    ['empty', (path: string) => writeFileSync(path, '')],
    [
      'as long as it says, a gigabyte',
      (path: string) => {
        writeFileSync(path, Buffer.from([0x3b, 0, 0, 0]));
        ftruncateSync(openSync(path, 'r+'), 1e9);
      },
    ],
  ])('is ignored, and stays, if it is %s', async (_, make) => {
    const path = join(folder, `${'0'.repeat(32)}.pack`);
    make(path);
    await write(open(), names);
    await commit(open(), []);
    now += 2 * hour;
    await commit(open(), []);
    expect(open().names()).toEqual([]);
    expect(readdirSync(folder)).toContain(`${'0'.repeat(32)}.pack`);
  });

  it('is not decompressed to more than any article has', () => {
    const bomb = Buffer.alloc(2 ** 27, ' ');
    const { pack, content } = makePack(new Map([[hash(bomb), deflateRawSync(bomb)]]), {
      written: 1,
    });
    writeFileSync(join(folder, pack.name), content);
    expect(open().read(hash(bomb))).toBeUndefined();
  });
});
