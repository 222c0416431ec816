import { readFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';

/** Describes the machine and the versions that the figures were measured with. */
export async function describeMachine(): Promise<string> {
  const processors = cpus();
  const astro = await versionIn(import.meta.resolve('astro/package.json'));
  const own = await versionIn(new URL('../package.json', import.meta.url).href);
  const [load = 0] = loadavg();
  return [
    `${processors[0]?.model.trim() || 'unknown processor'}, ${processors.length} cores`,
    `${Math.round(totalmem() / 2 ** 30)} GB of memory`,
    `${process.platform} ${process.arch}`,
    `Node ${process.versions.node}`,
    `Astro ${astro}`,
    `astro-articles ${own}`,
    `load average at the start ${load.toFixed(1)}`,
    new Date().toISOString().slice(0, 10),
  ].join(' · ');
}

async function versionIn(manifest: string): Promise<string> {
  return JSON.parse(await readFile(new URL(manifest), 'utf8')).version;
}
