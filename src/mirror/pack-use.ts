import type { Pack } from './pack.ts';

// Decides which packs are in use, and which are compacted.

/** The maximum number of packs smaller than half of `packBytes`. Each load with a change adds one. */
const maxSmallPacks = 8;

/** The records of a pack that are in use, and their length. */
export interface UsedRecords {
  names: string[];
  bytes: number;
}

/** Returns the packs to compact: corrupt, mostly unused, or small and many. */
export function outdatedPacks(
  inUse: ReadonlyMap<Pack, UsedRecords>,
  packBytes: number,
): Map<Pack, UsedRecords> {
  const small = [...inUse]
    .filter(([, { bytes }]) => bytes < packBytes / 2)
    .toSorted(([, a], [, b]) => a.bytes - b.bytes);
  // Only packs of similar size are joined, so that a record is copied a few times in all.
  const joined = new Set<Pack>();
  let sum = 0;
  for (const [pack, { bytes }] of small.length > maxSmallPacks ? small : []) {
    if (joined.size > 1 && bytes > 2 * sum) break;
    joined.add(pack);
    sum += bytes;
  }
  return new Map(
    [...inUse].filter(
      ([pack, { bytes }]) => pack.isCorrupt || bytes < pack.recordBytes / 2 || joined.has(pack),
    ),
  );
}

/** Returns the intact packs to which the records in use of other packs were copied, by the names of those. */
export function replacementsOf(packs: readonly Pack[]): Map<unknown, Pack> {
  const intact = packs.filter(({ isCorrupt }) => !isCorrupt);
  return new Map(intact.flatMap((pack) => [...pack.replaces].map((name) => [name, pack] as const)));
}

/**
 * Returns the packs with records in use. A record in several packs counts for one of them: an intact one that no
 * other pack replaces, if there is one.
 */
export function recordsInUse(
  packs: readonly Pack[],
  used: ReadonlySet<string>,
): Map<Pack, UsedRecords> {
  const replacements = replacementsOf(packs);
  const rank = ({ name, isCorrupt }: Pack) => (isCorrupt || replacements.has(name) ? 1 : 0);
  const counted = new Set<string>();
  const inUse = new Map<Pack, UsedRecords>();
  for (const pack of packs.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))) {
    const records = [...pack.records].filter(([name]) => used.has(name) && !counted.has(name));
    if (records.length === 0) continue;
    const names = records.map(([name]) => name);
    for (const name of names) counted.add(name);
    inUse.set(pack, { names, bytes: records.reduce((sum, [, { length }]) => sum + length, 0) });
  }
  return inUse;
}
