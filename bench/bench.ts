import type { Figures } from './figures.ts';
import { type ChildProgram, startProgram } from './processes.ts';
import type { OtherServicesCommand } from './programs/other-services.ts';
import type { ServiceCommand, ServiceOptions, ServiceReady } from './programs/service.ts';

/** One table of the benchmark. */
export interface Table {
  /** The name on the command line. */
  name: string;
  title: string;
  /** Whether it runs only if it is named. */
  isLong?: boolean;
  /** Returns the text above the table: what is measured, and what is not. */
  about(bench: Bench): string;
  columns: string[];
  fill(bench: Bench, row: AddRow): Promise<void>;
}

/** Adds a row. If `cells` fails, the row contains the error, and the other rows are still measured. */
export type AddRow = (label: string, cells: () => Promise<string[]>) => Promise<void>;

/** The settings and services of a run, shared by all tables. */
export interface Bench {
  /** Whether to use small sizes, which only show that the benchmark works. */
  quick: boolean;
  repeats: number;
  /** The folder for temporary files. */
  folder: string;
  /** Runs a task `times` times, one after the other. @default repeats */
  repeat<T>(task: () => Promise<T>, times?: number): Promise<T[]>;
  /** Starts the articles' service in its own process, and stops the service started before. */
  service(count: number, options?: ServiceOptions): Promise<BenchService>;
  /** Starts a service that makes its articles when they are requested, and stops the service started before. */
  endlessService(count: number): Promise<BenchService>;
  /** Starts the services of the other loaders, and stops the service started before. */
  otherServices(count: number): Promise<OtherServices>;
}

export interface BenchService extends ServiceReady {
  /** The environment variables that a site needs to use the service. */
  env: Record<string, string>;
  /** @returns the number of requests since the command before */
  send: ChildProgram<ServiceCommand, number>['send'];
}

export interface OtherServices {
  url: string;
  send: ChildProgram<OtherServicesCommand, number>['send'];
}

/** The offsets of the pages of a listing after the first one. */
export function laterPages(count: number): number[] {
  return Array.from({ length: Math.ceil(count / 500) - 1 }, (_, index) => (index + 1) * 500);
}

export function createBench(settings: Pick<Bench, 'quick' | 'repeats' | 'folder'>): Bench {
  let current: { stop(): void } | undefined;

  async function start<Ready, Command extends object>(name: string, options: object) {
    current?.stop();
    const { ready, program } = await startProgram<Ready, Command, number>(name, options);
    current = program;
    return { ...ready, send: program.send };
  }

  async function startService(name: 'service' | 'endless', options: object) {
    const service = await start<ServiceReady, ServiceCommand>(name, options);
    const env = { ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: service.apiKey };
    return { ...service, env };
  }

  return {
    ...settings,

    async repeat(task, times = settings.repeats) {
      const results = [];
      for (let time = 0; time < times; time++) results.push(await task());
      return results;
    },

    service: (count, options = {}) => startService('service', { count, ...options }),
    endlessService: (count) => startService('endless', { count }),

    otherServices: (count) =>
      start<{ url: string }, OtherServicesCommand>('other-services', { count }),
  };
}

/** Fills a table, and prints each row to standard error. */
export async function fillTable(table: Table, bench: Bench): Promise<Figures> {
  const figures: Figures = { columns: table.columns, rows: [] };
  const add = (cells: string[], since: number) => {
    figures.rows.push(cells);
    const time = ((performance.now() - since) / 1000).toFixed(0);
    process.stderr.write(`${table.name}: ${cells.join(', ')} [${time} s]\n`);
  };
  const row: AddRow = async (label, cells) => {
    const start = performance.now();
    const filled = await cells().catch(describeFailure);
    add([label, ...filled], start);
  };
  const start = performance.now();
  await table.fill(bench, row).catch((error) => add(describeFailure(error), start));
  return figures;
}

function describeFailure(error: unknown): string[] {
  process.exitCode = 1;
  return [`failed: ${error instanceof Error ? error.message : String(error)}`];
}
