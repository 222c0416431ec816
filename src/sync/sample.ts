import type { ResolvedOptions } from '../options/options.ts';
import type { ListedRow } from './list.ts';

/** What a load of a part of the service has read. */
export interface Sample {
  /** All rows that were read, in the order of the listing. */
  rows: readonly ListedRow[];
  /** The number of all articles according to the service. */
  count?: number | undefined;
}

/** The number of articles in a sample. */
export const sampleSize = 20;
const samplePages = 3;

/** Returns the number of rows of the listing that a sample reads: those of a few pages. */
export function sampleRows({ pageSize, newest }: Pick<ResolvedOptions, 'pageSize' | 'newest'>) {
  return Math.min(newest ?? Number.POSITIVE_INFINITY, Math.max(sampleSize, samplePages * pageSize));
}

/** Picks the first value, the last one, and others at equal distances between them. */
export function spread<T>(values: readonly T[], count: number): T[] {
  const step = Math.max(1, (values.length - 1) / (count - 1));
  const places = new Set(Array.from({ length: count }, (_, index) => Math.round(index * step)));
  return values.filter((_, index) => places.has(index));
}
