import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** The folder of all temporary files: in memory if a gigabyte is free there, because tests write and flush many files. */
export const temporaryRoot = hasSpace('/dev/shm') ? '/dev/shm' : tmpdir();

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 2 ** 30;
  } catch {
    return false;
  }
}
