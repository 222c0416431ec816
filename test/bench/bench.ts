import type { Figures } from './figures.ts';
import { type Helper, startProgram } from './processes.ts';
import type { OthersTold } from './programs/other-services.ts';
import type { ServiceReady, ServiceTold } from './programs/service.ts';

/** One table: what it measures, and how its rows come to be. */
export interface Table {
  /** As the command line calls it. */
  name: string;
  title: string;
  /** What is measured, and what that does not show. */
  about(bench: Bench): string;
  columns: string[];
  fill(bench: Bench, row: AddRow): Promise<void>;
}

/** Adds a row; when its cells cannot be had, it says why, and the others go on. */
export type AddRow = (label: string, cells: () => Promise<string[]>) => Promise<void>;

/** What every table is given. */
export interface Bench {
  /** Small sizes, to see that all of it works. */
  quick: boolean;
  repeats: number;
  /** A folder for whatever is written. */
  folder: string;
  /** Does something as often as asked for. */
  repeat<T>(task: () => Promise<T>, often?: number): Promise<T[]>;
  /** The articles' service, in a process of its own; the one before it ends. */
  service(count: number, options?: { mediaFolder?: string }): Promise<BenchService>;
  /** The other services, likewise. */
  others(count: number): Promise<OtherServices>;
}

export interface BenchService extends ServiceReady {
  /** What a site needs to know to ask it. */
  env: Record<string, string>;
  /** @returns how many requests there were since it was last told something */
  tell: Helper<ServiceTold, number>['ask'];
}

export interface OtherServices {
  url: string;
  tell: Helper<OthersTold, number>['ask'];
}

/** The offsets of the pages of a listing after the first one. */
export function laterPages(count: number): number[] {
  return Array.from({ length: Math.ceil(count / 500) - 1 }, (_, index) => (index + 1) * 500);
}

export function createBench(given: Pick<Bench, 'quick' | 'repeats' | 'folder'>): Bench {
  let last: { stop(): void } | undefined;

  async function start<Ready, Told extends object>(name: string, options: object) {
    last?.stop();
    const { ready, helper } = await startProgram<Ready, Told, number>(name, options);
    last = helper;
    return { ...ready, tell: helper.ask };
  }

  return {
    ...given,

    async repeat(task, often = given.repeats) {
      const results = [];
      for (let time = 0; time < often; time++) results.push(await task());
      return results;
    },

    async service(count, options = {}) {
      const service = await start<ServiceReady, ServiceTold>('service', { count, ...options });
      const env = { ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: service.apiKey };
      return { ...service, env };
    },

    others: (count) => start<{ url: string }, OthersTold>('other-services', { count }),
  };
}

/** Fills a table, and says on standard error how far that is. */
export async function fillTable(table: Table, bench: Bench): Promise<Figures> {
  const figures: Figures = { columns: table.columns, rows: [] };
  const add = (cells: string[], since: number) => {
    figures.rows.push(cells);
    const time = ((performance.now() - since) / 1000).toFixed(0);
    process.stderr.write(`${table.name}: ${cells.join(', ')} [${time} s]\n`);
  };
  const row: AddRow = async (label, cells) => {
    const start = performance.now();
    const filled = await cells().catch((error) => [`failed: ${messageOf(error)}`]);
    add([label, ...filled], start);
  };
  const start = performance.now();
  await table.fill(bench, row).catch((error) => add([`failed: ${messageOf(error)}`], start));
  return figures;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
