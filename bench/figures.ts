/** The cells of a table. */
export interface Figures {
  columns: string[];
  rows: string[][];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted.at(middle - 1), sorted.at(middle)];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** Formats the median, the minimum and the maximum: `1.05 (1.04–1.08)`. */
export function spread(values: readonly number[], show: (value: number) => string): string {
  if (values.length === 0) return '–';
  const middle = show(median(values));
  if (values.length === 1) return middle;
  return `${middle} (${show(Math.min(...values))}–${show(Math.max(...values))})`;
}

/** Returns one field of each result. */
export function valuesOf<T, K extends keyof T>(results: readonly T[], field: K): T[K][] {
  return results.map((result) => result[field]);
}

export const ratio = (value: number) => value.toFixed(2);
export const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 9_950 ? 2 : 1)} s`;
export const milliseconds = (ms: number) => `${ms.toFixed(ms < 9.95 ? 2 : 0)} ms`;
export const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1e3)} KB`;
export const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

/** Divides each value by the median of `base`; returns `–` if that is not positive. */
export function times(values: readonly number[], base: readonly number[]): string {
  const divisor = median(base);
  return divisor > 0
    ? spread(
        values.map((value) => value / divisor),
        ratio,
      )
    : '–';
}

export function toMarkdown({ columns, rows }: Figures): string {
  const [, ...others] = columns;
  const line = (cells: string[]) => `| ${cells.map(plain).join(' | ')} |`;
  return [line(columns), line(['---', ...others.map(() => '--:')]), ...rows.map(line)].join('\n');
}

function plain(cell: string): string {
  return cell.replaceAll('|', '\\|').replace(/\s+/g, ' ');
}
