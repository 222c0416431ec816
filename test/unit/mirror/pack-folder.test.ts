import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { openPackFolder, type PackFolder } from '../../../src/mirror/pack-folder.ts';
import { hash } from '../../../src/shared/hash.ts';

const packBytes = 4_000;
const grace = 1_000;
let folder: string;
let now: number;
const date = () => now;
const open = () => openPackFolder(folder, { date, packBytes });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'packs-'));
  now = Date.now();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Texts of 20 to 2,000 characters, which compress badly, by name. */
const texts = new Map(
  Array.from({ length: 60 }, (_, index) => {
    let text = `${index}`;
    while (text.length < 20 + ((index * 397) % 1980)) text += hash(text);
    return [hash(text), text];
  }),
);
const names = [...texts.keys()];

async function write(packs: PackFolder, some: readonly string[]): Promise<void> {
  for (const name of some) await packs.write(name, texts.get(name) ?? '');
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

/** Lets the time pass, which the clock of the disk does not know. */
function pass(time: number): void {
  for (const path of files()) {
    const seconds = statSync(path).mtimeMs / 1_000 - time / 1_000;
    utimesSync(path, seconds, seconds);
  }
}

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
      let [packs, other] = [open(), open()];
      /** The records that the last commit used, and each process has to find. */
      let used: string[] = [];
      const lost = new Set<string>();
      for (const step of story) {
        if (step.kind === 'write') await write(packs, step.some);
        if (step.kind === 'reopen') packs = open();
        if (step.kind === 'wait') pass(2 * grace);
        if (step.kind === 'other') [packs, other] = [other, packs];
        if (step.kind === 'commit') {
          const before = used;
          // A load commits what it has read or written.
          const kept = readable(packs, step.some);
          const missing = step.some.filter((name) => !kept.includes(name));
          await write(packs, missing);
          reached.healed += missing.filter((name) => lost.delete(name)).length;
          await packs.flush();
          await packs.clean({ used: new Set(step.some), usedBefore: new Set(before), grace });
          used = step.some;
        }
        if (step.kind === 'spoil') {
          reached.corrupt += spoilPack(step.at);
          const before = used;
          used = readable(open(), used);
          for (const name of before) if (!used.includes(name)) lost.add(name);
        }
        expect(readable(open(), used)).toEqual(used);
        reached.kept += used.length;
      }
    }),
    { numRuns: 60 },
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

describe('a folder of packs', () => {
  /** Commits as a load does that adds one record. */
  async function commitEach(grace = 1_000, time = 2 * grace): Promise<void> {
    const used = new Set<string>();
    for (const name of names) {
      const packs = open();
      const usedBefore = new Set(used);
      used.add(name);
      await write(packs, [name]);
      await packs.flush();
      await packs.clean({ used, usedBefore, grace });
      pass(time);
    }
  }

  it('has few files after many loads with a change, and none that is not needed', async () => {
    const whole = open();
    await write(whole, names);
    await whole.flush();
    const [least, number] = [bytesOnDisk(), files().length];
    for (const path of files()) rmSync(path);
    await commitEach();
    await open().clean({ used: new Set(names), grace });
    expect(files().length).toBeLessThan(number + 10);
    expect(bytesOnDisk()).toBeLessThan(1.1 * least);
    expect(readable(open(), names)).toEqual(names);
  });

  it('soon loses packs whose records were copied, though unused ones stay for a week', async () => {
    const hour = 3_600_000;
    await commitEach(168 * hour, 2 * hour);
    const total = [...texts.values()].reduce((sum, { length }) => sum + length, 0);
    // Texts of hexadecimal digits have about half their size in a pack.
    expect(bytesOnDisk()).toBeLessThan(0.8 * total);
    expect(readable(open(), names)).toEqual(names);
  });

  it('needs at most twice the space of its records in use, once the grace period is over', async () => {
    await commitEach();
    const [first = '', ...others] = names;
    for (const used of [others.slice(0, 20), others.slice(0, 5), [first], []]) {
      const packs = open();
      await packs.clean({ used: new Set(used), usedBefore: new Set(names), grace });
      pass(2 * grace);
      await open().clean({ used: new Set(used), grace });
      const alone = used.reduce((sum, name) => sum + (texts.get(name)?.length ?? 0), 0);
      expect(bytesOnDisk()).toBeLessThanOrEqual(1.2 * alone + 120 * used.length);
      expect(readable(open(), used)).toEqual(used);
    }
    expect(files()).toEqual([]);
  });

  it('is the same, byte by byte, for the same records in any order', async () => {
    const contents = new Set<string>();
    for (const order of [names.slice(0, 8), names.slice(0, 8).toReversed()]) {
      const packs = openPackFolder(folder, { date });
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
    const packs = open();
    now = Math.min(...files().map((path) => statSync(path).mtimeMs));
    expect(readable(packs, names)).toEqual(names);
    await write(packs, names);
    await packs.flush();
    expect(files().map((path) => [path, statSync(path).mtimeMs])).toEqual(before);
  });

  it('is read by a process that opened it before another one replaced and removed its packs', async () => {
    await commitEach();
    const early = open();
    const used = new Set(names.filter((_, index) => index % 7 === 0));
    await open().clean({ used, grace });
    pass(2 * grace);
    await open().clean({ used, grace });
    expect(readable(early, names)).toEqual([...used]);
  });

  it.each([
    ['records that end behind the file', (table: string) => table.replace(/\d+\]\]/, '9999]]')],
    ['names outside the folder', (table: string) => table.replaceAll(/"\w{32}"/g, '"../x"')],
    ['another shape', () => '{"records":1}'],
    ['no JSON', () => 'x'],
  ])('ignores a pack whose table has the right hash and %s', async (_, change) => {
    await commitEach();
    const [path = ''] = files();
    const bytes = readFileSync(path);
    const end = 4 + bytes.readUInt32BE();
    const table = Buffer.from(change(bytes.subarray(4, end).toString()));
    const head = Buffer.alloc(4);
    head.writeUInt32BE(table.length);
    for (const file of files()) rmSync(file);
    writeFileSync(
      join(folder, `${hash(table)}.pack`),
      Buffer.concat([head, table, bytes.subarray(end)]),
    );
    const packs = open();
    expect(readable(packs, names).length).toBeLessThan(names.length);
    await write(packs, names);
    await packs.flush();
    expect(readable(open(), names)).toEqual(names);
  });
});
