import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** The folder for temporary files: in memory where there is a gigabyte of it, because tests write many and flush them. */
export const disk = hasSpace('/dev/shm') ? '/dev/shm' : tmpdir();

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 2 ** 30;
  } catch {
    return false;
  }
}
