/** A table as it is printed. */
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

/** The median, and how far the others are: `1.05 (1.04–1.08)`. */
export function spread(values: readonly number[], show: (value: number) => string): string {
  if (values.length === 0) return '–';
  const middle = show(median(values));
  if (values.length === 1) return middle;
  return `${middle} (${show(Math.min(...values))}–${show(Math.max(...values))})`;
}

export const ratio = (value: number) => value.toFixed(2);
export const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 9_950 ? 2 : 1)} s`;
export const milliseconds = (ms: number) => `${ms.toFixed(ms < 9.95 ? 2 : 0)} ms`;
export const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

/** How many times as much each value is as the middle of some others; `–` where there are none. */
export function times(values: readonly number[], base: readonly number[]): string {
  const one = median(base);
  return one > 0
    ? spread(
        values.map((value) => value / one),
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
