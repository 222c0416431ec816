import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastLines, type Run, run } from './processes.ts';

/** A site in its own temporary folder. */
export interface BenchSite {
  root: string;
  /** Runs `astro sync` or `astro build`; throws if the exit code is not 0. */
  astro(command: 'sync' | 'build'): Promise<AstroRun>;
  /** Like `astro()`, but returns the result for any exit code. */
  tryAstro(command: 'sync' | 'build'): Promise<AstroRun>;
  write(path: string, text: string): Promise<void>;
  /** Removes the build output and all caches. */
  reset(): Promise<void>;
  remove(): Promise<void>;
  /** Bytes of Astro's store, and of the mirror with its rendered HTML. */
  sizes(): Promise<{ store: number; mirror: number }>;
}

export interface AstroRun extends Run {
  /** Milliseconds of the collection's `load()`. */
  load: number;
  /** Milliseconds of CPU that the process used during `load()`. */
  cpu: number;
  /** The number of entries in the collection after the load. */
  entries: number;
  /** The number of rendered pages. */
  pages: number;
}

export interface SiteOptions {
  /** src/content.config.ts */
  content: string;
  /** More fields of astro.config, as source text. */
  config?: string;
  /** src/pages/[id].astro; without it, the site has no pages. */
  page?: string;
  env?: Record<string, string>;
}

export const benchFolder = fileURLToPath(new URL('./', import.meta.url));
const folders: string[] = [];

/** Makes a folder that is removed when the benchmark ends. */
export async function makeFolder(home = benchFolder): Promise<string> {
  const folder = await mkdtemp(join(home, '.site-'));
  folders.push(folder);
  return folder;
}

export async function removeFolders(): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Makes a site. The site can import the packages that are installed for the folder `home`. */
export async function makeSite(options: SiteOptions, home?: string): Promise<BenchSite> {
  const root = await makeFolder(home);
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  for (const [path, text] of Object.entries(siteFiles(options))) await write(path, text);
  const bin = fileURLToPath(import.meta.resolve('astro/package.json')).replace(
    'package.json',
    'bin/astro.mjs',
  );

  const tryAstro = async (command: 'sync' | 'build') => {
    const result = await run([bin, command], {
      cwd: root,
      ...(options.env ? { env: options.env } : {}),
    });
    return { ...result, ...readMarks(result.output) };
  };
  return {
    root,
    write,
    tryAstro,
    async astro(command) {
      const result = await tryAstro(command);
      if (result.status !== 0)
        throw new Error(`exit code ${result.status}: ${lastLines(result.output)}`);
      return result;
    },
    async reset() {
      for (const path of ['dist', '.astro', 'node_modules/.astro']) {
        await rm(join(root, path), { recursive: true, force: true });
      }
    },
    remove: () => rm(root, { recursive: true, force: true }),
    async sizes() {
      const cache = join(root, 'node_modules/.astro');
      const store = await bytesBelow(join(cache, 'data-store.json'));
      return { store, mirror: await bytesBelow(join(cache, 'astro-articles')) };
    },
  };
}

/** Parses the lines that `src/marks.ts` printed. */
function readMarks(output: string) {
  const load = /^bench-load ([\d.]+) (\d+) ([\d.]+)$/m.exec(output);
  return {
    load: Number(load?.[1] ?? Number.NaN),
    entries: Number(load?.[2] ?? 0),
    cpu: Number(load?.[3] ?? Number.NaN),
    pages: output.match(/^bench-page$/gm)?.length ?? 0,
  };
}

async function bytesBelow(path: string): Promise<number> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isDirectory()) return stats?.size ?? 0;
  let total = 0;
  for (const name of await readdir(path)) total += await bytesBelow(join(path, name));
  return total;
}

function siteFiles({ content, config = '', page }: SiteOptions): Record<string, string> {
  return {
    'package.json': JSON.stringify({ name: 'site', private: true, type: 'module' }),
    // Incremental builds and the cache of rendered HTML need a lock file.
    'package-lock.json': JSON.stringify({ name: 'site', lockfileVersion: 3, packages: {} }),
    'astro.config.mjs': `
      import { defineConfig } from 'astro/config';
      import articles from 'astro-articles';
      export default defineConfig({ devToolbar: { enabled: false }, ${config} });`,
    'src/content.config.ts': content,
    'src/marks.ts': marks,
    ...(page ? { 'src/pages/[id].astro': page } : {}),
  };
}

/** Times every loader in the same way, and prints one line for each load and each page. */
const marks = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  export function timed(loader) {
    const load = async (context) => {
      // V8 would collect the garbage of Astro's start in some loads, for 15 ms, and before others.
      collectGarbage();
      const start = performance.now();
      const cpuBefore = process.cpuUsage();
      await loader.load(context);
      const duration = (performance.now() - start).toFixed(1);
      const { user, system } = process.cpuUsage(cpuBefore);
      const cpu = ((user + system) / 1000).toFixed(1);
      process.stdout.write('\\nbench-load ' + duration + ' ' + context.store.keys().length + ' ' + cpu + '\\n');
    };
    return { ...loader, load };
  }
  export const markPage = () => process.stdout.write('\\nbench-page\\n');`;

interface PageParts {
  /** The entry to render, as an expression of `entry`. @default 'await withBody(entry)' */
  entry?: string;
  /** More fields for each item of `getStaticPaths()`. */
  props?: string;
  imports?: string;
  /** More code of the front matter, after the article is rendered. */
  code?: string;
  /** More markup, after the article. */
  markup?: string;
}

/** A page for each article with its title, its text and the parts that a table adds. */
export function articlePage({
  entry = 'await withBody(entry)',
  props = '',
  imports = '',
  code = '',
  markup = '',
}: PageParts = {}): string {
  return `---
    import { getCollection, render } from 'astro:content';
    import { withBody } from 'astro-articles';
    import { markPage } from '../marks.ts';
    ${imports}
    export async function getStaticPaths() {
      const entries = await getCollection('articles');
      return entries.map((entry) => ({ params: { id: entry.id }, props: { entry }, ${props} }));
    }
    const { entry } = Astro.props;
    const { Content } = await render(${entry});
    ${code}
    ---
    <html lang="en">
      <head><meta charset="utf-8" /><title>{entry.data.title}</title></head>
      <body><h1>{entry.data.title}</h1><Content />${markup}</body>
    </html>`;
}
