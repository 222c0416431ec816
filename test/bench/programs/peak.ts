import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Loaded before a program that is measured: writes its peak memory, in KiB, to the pipe 3 when it ends. */
if (isMainThread) {
  process.on('exit', () => {
    try {
      writeSync(3, `${process.resourceUsage().maxRSS}`);
    } catch {
      // A process that the measured one started has no such pipe, and is not meant.
    }
  });
}
