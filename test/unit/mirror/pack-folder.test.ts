import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished, test } from 'vitest';
import { openPackFolder, type PackFolder } from '../../../src/mirror/pack-folder.ts';
import { hash } from '../../../src/shared/hash.ts';
import { skipFlush, watchFiles } from '../../helpers/file-faults.ts';
import { corrupt, recordsOf } from '../../helpers/mirror-folder.ts';
import { runs } from '../../helpers/runs.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let folder: string;
/** The packs that the last commit used. */
let indexed: string[];
const opened: PackFolder[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  indexed = [];
  onTestFinished(() => {
    for (const packs of opened.splice(0)) packs.close();
  });
  onTestFinished(skipFlush());
});

function open(packBytes = 4_000): PackFolder {
  const packs = openPackFolder(folder, indexed, packBytes);
  opened.push(packs);
  return packs;
}

/** Returns a text of about a length. */
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

function write(packs: PackFolder, some: readonly string[]): void {
  for (const name of some) packs.write(texts.get(name) ?? '');
}

/** Writes texts that are not in the list above. Returns their names. */
function writeTexts(packs: PackFolder, some: readonly string[]): string[] {
  const written = some.map((text) => packs.write(text));
  packs.packAndCompact(new Set());
  return written;
}

/** Commits like a mirror that no other process uses: it has all packs open. */
function commit(packs: PackFolder, used: readonly string[]): void {
  indexed = packs.packAndCompact(new Set(used));
  packs.restore(indexed);
  for (const path of files()) if (!indexed.some((name) => path.endsWith(name))) rmSync(path);
}

/** Returns which of the records can be read; what is read is right. */
function readable(packs: PackFolder, some: Iterable<string>): string[] {
  return [...some].filter((name) => {
    const text = packs.read(name);
    expect([undefined, texts.get(name)]).toContain(text);
    return text !== undefined;
  });
}

const files = () => readdirSync(folder).map((name) => join(folder, name));
const bytesOnDisk = () => files().reduce((sum, path) => sum + statSync(path).size, 0);
function isOnDisk(text: string): boolean {
  const packs = openPackFolder(folder);
  const found = packs.read(hash(text)) === text;
  packs.close();
  return found;
}

/** Commits like loads of which each adds one record. */
function commitEach(): void {
  const used: string[] = [];
  for (const name of names) {
    const packs = open();
    used.push(name);
    write(packs, [name]);
    commit(packs, used);
  }
}

test('a record is lost only if its bytes change, never misread, and written again', () => {
  const reached = { kept: 0, corrupt: 0, healed: 0 };
  const some = fc.subarray(names);
  const step = fc.record({
    some,
    spoil: fc.option(
      fc.record({ file: fc.nat(), place: fc.nat(), how: fc.constantFrom('cut', 'end', 'byte') }),
    ),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (story) => {
      for (const path of files()) rmSync(path);
      indexed = [];
      for (const { some, spoil } of story) {
        const packs = open();
        const known = readable(packs, some);
        const missing = some.filter((name) => !known.includes(name));
        for (const name of missing) expect(packs.has(name)).toBe(false);
        write(packs, missing);
        commit(packs, some);
        expect(readable(packs, some)).toEqual(some);
        packs.close();
        const next = open();
        expect(readable(next, some)).toEqual(some);
        reached.kept += some.length;
        next.close();
        const path = spoil && files()[spoil.file % files().length];
        if (!path) continue;
        const bytes = readFileSync(path);
        const place = spoil.place % bytes.length;
        if (spoil.how === 'cut') truncateSync(path, place);
        else {
          const end = spoil.how === 'end' ? bytes.length : place + 1;
          writeFileSync(path, bytes.fill(~(bytes[place] ?? 0), place, end));
        }
        const spoilt = open();
        const left = readable(spoilt, some);
        reached.corrupt += some.length - left.length;
        write(spoilt, some);
        commit(spoilt, some);
        spoilt.close();
        const healed = open();
        expect(readable(healed, some)).toEqual(some);
        reached.healed += some.length - left.length;
        healed.close();
      }
    }),
    runs(15),
  );
  for (const count of Object.values(reached)) expect(count).toBeGreaterThan(20);
});

describe('a folder of packs', () => {
  it('is not changed by opening it, reading it, or writing what it has', () => {
    commitEach();
    const { operations, stop } = watchFiles(folder, {});
    const packs = open();
    expect(readable(packs, names)).toEqual(names);
    write(packs, names);
    packs.packAndCompact(new Set());
    stop();
    expect(operations.filter(({ name }) => /write|rename|rm|mkdir/.test(name))).toEqual([]);
    expect(operations.length).toBeGreaterThan(names.length);
  });

  it('reads nothing after it was closed, although other files have the same descriptors', () => {
    commitEach();
    const packs = open();
    packs.close();
    const others = files().map((path) => openSync(path, 'r'));
    expect(readable(packs, names)).toEqual([]);
    expect(names.filter(packs.has)).toEqual([]);
    others.forEach(closeSync);
  });

  it('keeps using the packs of the index, where others have the same records', () => {
    const same = ['a', 'b', 'c'].map((seed) => textOf(seed, 300));
    const [one, two] = [open(), open()];
    const used = new Set(writeTexts(one, same));
    const before = one.packAndCompact(used);
    writeTexts(two, [...same, textOf('d', 300)]);
    const other = files()
      .map((path) => basename(path))
      .filter((name) => !before.includes(name));
    expect(other).toHaveLength(1);
    for (const each of [before, other]) {
      indexed = each;
      expect(open().packAndCompact(used)).toEqual(each);
    }
  });

  it('replaces a pack that has a corrupt record by a new one', async () => {
    const all = ['a', 'b', 'c', 'd'].map((seed) => textOf(seed, 300));
    const first = open();
    commit(first, writeTexts(first, all));
    const before = files();
    const [spoilt] = recordsOf(before);
    await corrupt(spoilt ? [spoilt] : []);
    const packs = open();
    expect(all.filter((text) => !packs.read(hash(text)))).toEqual([spoilt?.text]);
    expect(packs.has(spoilt?.name ?? '')).toBe(false);
    commit(packs, writeTexts(packs, all));
    expect(files()).not.toContain(before[0]);
    const next = open();
    expect(all.filter((text) => next.read(hash(text)) !== text)).toEqual([]);
  });
});

describe('the space of packs', () => {
  it('is about that of the option each, also after the first one', () => {
    const packBytes = 4_000;
    const packs = open(packBytes);
    for (const text of texts.values()) packs.write(text);
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    expect(sizes.length).toBeGreaterThan(1);
    for (const size of sizes) expect(size).toBeGreaterThan(packBytes * 0.9);
  });

  it('is at most twice that of the records in use', () => {
    commitEach();
    for (const number of [20, 5, 1, 0]) {
      const used = names.slice(10, 10 + number);
      commit(open(), used);
      const alone = used.reduce((sum, name) => sum + (texts.get(name)?.length ?? 0), 0);
      expect(bytesOnDisk()).toBeLessThanOrEqual(1.2 * alone + 150 * used.length);
      expect(readable(open(), used)).toEqual(used);
    }
    expect(files()).toEqual([]);
  });

  it.each([170, 1])('stays small when one of %i records changes in each load', (changing) => {
    let current = Array.from({ length: 170 }, (_, index) => textOf(`base ${index}`, 20));
    const first = open(16_000);
    commit(first, writeTexts(first, current));
    const least = bytesOnDisk();
    const written = new Map<string, number>();
    for (let load = 0; load < 150; load++) {
      current = current.with(load % changing, textOf(`load ${load}`, 20));
      const packs = openPackFolder(folder, indexed, 16_000);
      commit(packs, writeTexts(packs, current));
      packs.close();
      for (const path of files()) written.set(path, statSync(path).size);
      expect(files().length).toBeLessThan(12);
    }
    expect(bytesOnDisk()).toBeLessThan(2.5 * least);
    const all = [...written.values()].reduce((sum, size) => sum + size, 0);
    expect(all).toBeLessThan(15 * least);
    expect(current.filter(isOnDisk)).toEqual(current);
  });
});
