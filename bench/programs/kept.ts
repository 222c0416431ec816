import { readdirSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What a process keeps while it waits for requests. */
export interface Kept {
  /** Bytes of live objects. */
  heap: number;
  /** Open files, sockets included. */
  files: number;
  timers: number;
}

/** Returns the milliseconds of CPU that the process has used, or what it keeps. */
export type MeasureCommand = { kind: 'cpu' } | { kind: 'kept' };

/** Sends the measurements of this process that its parent requests. */
export function sendMeasurements(): void {
  process.on('message', async ({ kind }: MeasureCommand) => {
    const { user, system } = process.cpuUsage();
    process.send?.(kind === 'cpu' ? (user + system) / 1000 : await measureKept());
  });
  process.on('disconnect', () => process.exit());
}

async function measureKept(): Promise<Kept> {
  setFlagsFromString('--expose-gc');
  const collectGarbage: (options: object) => void = runInNewContext('gc');
  // Other collections keep the compiled code of modules that were replaced, until memory is short.
  const options = { type: 'major', flavor: 'last-resort' };
  // Finalisers of one collection free what the next one finds.
  for (let times = 0; times < 5; times++) {
    collectGarbage(options);
    await setImmediate();
  }
  return {
    heap: process.memoryUsage().heapUsed,
    files: readdirSync('/proc/self/fd').length,
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
  };
}
