import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodePack, openPack, type Pack, readPack, readRecord } from '../../../src/mirror/pack.ts';
import { hash } from '../../../src/shared/hash.ts';
import { runs } from '../../helpers/runs.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let folder: string;
const opened: Pack[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  onTestFinished(() => {
    for (const { file } of opened.splice(0)) closeSync(file);
  });
});

function open(name: string): Pack | undefined {
  const pack = openPack(join(folder, name));
  if (pack) opened.push(pack);
  return pack;
}

/** Writes a pack. Returns its name and its size. */
function write(records: ReadonlyMap<string, Buffer>) {
  const { name, content } = encodePack(records);
  writeFileSync(join(folder, name), content);
  return { name, size: content.length };
}

const record = hash('x');

describe('a pack', () => {
  it('has the bytes of each record, and its name depends on no order', () => {
    const keyed = fc
      .tuple(fc.boolean(), fc.uint8Array({ maxLength: 99 }))
      .map(([isKeyed, bytes]) => {
        const name = hash(bytes);
        return [isKeyed ? `${hash('key')}-${name}` : name, Buffer.from(bytes)] as const;
      });
    let empty = 0;
    fc.assert(
      fc.property(fc.array(keyed, { minLength: 1, maxLength: 9 }), (all) => {
        const { name, size } = write(new Map(all));
        expect(write(new Map(all.toReversed())).name).toBe(name);
        const pack = open(name);
        expect(pack?.size).toBe(size);
        for (const [each, bytes] of all) {
          expect(pack && readRecord(pack, each)).toEqual(bytes);
          if (bytes.length === 0) empty += 1;
        }
        expect(pack && readPack(pack)).toHaveLength(size);
      }),
      runs(40),
    );
    expect(empty).toBeGreaterThan(0);
  });
});

describe('a file that this package did not write', () => {
  /** Writes a pack with a table and the right name. */
  function put(table: string, records = Buffer.alloc(0)): string {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(Buffer.byteLength(table));
    const name = `${hash(table)}.pack`;
    writeFileSync(join(folder, name), Buffer.concat([head, Buffer.from(table), records]));
    return name;
  }
  const row = (length: unknown, name: unknown = record) => JSON.stringify([[name, length]]);

  it.each([
    ['a record of 1.5 GB', row(1.5e9)],
    ['a record of another type', '[7]'],
    ['a negative length', row(-1)],
    ['a length that is not an integer', row(0.5)],
    ['a name outside the folder', row(0, '../x')],
    ['a name with a line end', row(0, `${record}\n`)],
    ['millions of wrong rows', `[${'["x",-1],'.repeat(3e5)}7]`],
    ['a name that is nested too deep', `[[${'['.repeat(2e5)}${']'.repeat(2e5)},1]]`],
    ['no records', '[]'],
    ['another shape', '{"records":1}'],
    ['no JSON', 'x'],
  ])('is not opened if its table has %s, and takes no memory', (_, table) => {
    const name = put(table);
    const allocated: number[] = [];
    const allocUnsafe = vi.spyOn(Buffer, 'allocUnsafe').mockImplementation((size) => {
      allocated.push(size);
      return Buffer.alloc(size);
    });
    onTestFinished(() => allocUnsafe.mockRestore());
    expect(open(name)).toBeUndefined();
    expect(Math.max(...allocated)).toBeLessThanOrEqual(Math.max(table.length, 4));
  });

  it('is opened if its table names each byte behind it', () => {
    expect(open(put(row(2), Buffer.from('xy')))?.records.size).toBe(1);
    expect(open(put(row(2), Buffer.from('xyz')))).toBeUndefined();
  });

  it.each([
    [
      'a link to an intact pack',
      (path: string) => {
        const { name, content } = encodePack(new Map([[record, Buffer.alloc(0)]]));
        expect(name).toMatch(/pack$/);
        writeFileSync(`${path}.target`, content);
        symlinkSync(`${path}.target`, path);
      },
    ],
    ['of three bytes', (path: string) => writeFileSync(path, '\0\0\0')],
    ['a gigabyte, with a table as long as it says', (path: string) => putSparse(path, 0x3b)],
    ['a gigabyte, with a short table', (path: string) => putSparse(path, 0)],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
  ])('is not opened if it is %s', (_, make) => {
    const name = `${'0'.repeat(32)}.pack`;
    make(join(folder, name));
    expect(open(name)).toBeUndefined();
  });

  /** Writes a file of a gigabyte that takes no space, with the first byte of the length of a table. */
  function putSparse(path: string, first: number): void {
    writeFileSync(path, Buffer.from([first, 0, 0, 9]));
    const file = openSync(path, 'r+');
    ftruncateSync(file, 1e9);
    closeSync(file);
  }
});
