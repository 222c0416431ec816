import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Preloaded into a measured program: writes its peak memory in KiB to file descriptor 3 on exit. */
if (isMainThread) {
  process.on('exit', () => {
    try {
      writeSync(3, `${process.resourceUsage().maxRSS}`);
    } catch {
      // A child process of the measured program has no such pipe, and is not measured.
    }
  });
}
