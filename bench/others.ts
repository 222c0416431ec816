import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from './sites.ts';

/** The folder with the published loaders of others. Sites in a folder inside it can import them. */
export const otherLoadersFolder = join(benchFolder, 'others');

/** Installs the loaders of others on first use, so that `npm install` of this package need not. */
export async function installOtherLoaders(): Promise<void> {
  // npm writes this file last.
  if (existsSync(join(otherLoadersFolder, 'node_modules/.package-lock.json'))) return;
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: otherLoadersFolder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [status] = await once(npm, 'close');
  if (status !== 0) throw new Error(`\`npm ci\` in test/bench/others ended with ${status}`);
}
