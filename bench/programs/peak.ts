import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Preloaded into a measured program: writes its peak memory in KiB, and its CPU time in µs, to file descriptor 3 on exit. */
if (isMainThread) {
  process.on('exit', () => {
    try {
      const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
      writeSync(3, `${maxRSS} ${userCPUTime + systemCPUTime}`);
    } catch {
      // A child process of the measured program has no such pipe, and is not measured.
    }
  });
}
