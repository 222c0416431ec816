import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from './sites.ts';

/** Where the published loaders are installed: sites below it find them. */
export const othersFolder = join(benchFolder, 'others');

/** Not every `npm install` of this package brings the loaders of others: the first bench does. */
export async function installOthers(): Promise<void> {
  // npm writes this file last.
  if (existsSync(join(othersFolder, 'node_modules/.package-lock.json'))) return;
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: othersFolder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [status] = await once(npm, 'close');
  if (status !== 0) throw new Error(`\`npm ci\` in test/bench/others ended with ${status}`);
}
