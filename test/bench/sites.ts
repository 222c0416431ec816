import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastLines, type Run, run } from './processes.ts';

/** A site in a folder of its own, and what it took to have Astro work on it. */
export interface BenchSite {
  root: string;
  /** Runs `astro sync` or `astro build`, and fails when it does. */
  astro(command: 'sync' | 'build'): Promise<AstroRun>;
  /** The same, however it ends. */
  tryAstro(command: 'sync' | 'build'): Promise<AstroRun>;
  write(path: string, text: string): Promise<void>;
  /** Forgets what was built and loaded. */
  reset(): Promise<void>;
  remove(): Promise<void>;
  /** Bytes of Astro's store, and of all that we keep beside it. */
  sizes(): Promise<{ store: number; mirror: number }>;
}

export interface AstroRun extends Run {
  /** Milliseconds of the collection's `load()`. */
  load: number;
  /** Milliseconds of CPU that the process used in it. */
  cpu: number;
  /** Entries that the collection then had. */
  entries: number;
  /** Pages that were rendered. */
  pages: number;
}

export interface SiteGiven {
  /** src/content.config.ts */
  content: string;
  /** Further fields of astro.config, as source text. */
  config?: string;
  /** How a page for each article is made; no pages without it. */
  page?: string;
  env?: Record<string, string>;
}

export const benchFolder = fileURLToPath(new URL('./', import.meta.url));
const folders: string[] = [];

/** Makes a folder that is there until the bench ends. */
export async function makeFolder(home = benchFolder): Promise<string> {
  const folder = await mkdtemp(join(home, '.site-'));
  folders.push(folder);
  return folder;
}

export async function removeFolders(): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Makes a site; `home` decides which packages it finds. */
export async function makeSite(given: SiteGiven, home?: string): Promise<BenchSite> {
  const root = await makeFolder(home);
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  for (const [path, text] of Object.entries(siteFiles(given))) await write(path, text);
  const bin = fileURLToPath(import.meta.resolve('astro/package.json')).replace(
    'package.json',
    'bin/astro.mjs',
  );

  const tryAstro = async (command: 'sync' | 'build') => {
    const ended = await run([bin, command], {
      cwd: root,
      ...(given.env ? { env: given.env } : {}),
    });
    return { ...ended, ...marksOf(ended.output) };
  };
  return {
    root,
    write,
    tryAstro,
    async astro(command) {
      const ended = await tryAstro(command);
      if (ended.status !== 0)
        throw new Error(`exit code ${ended.status}: ${lastLines(ended.output)}`);
      return ended;
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

/** What `src/marks.ts` printed. */
function marksOf(output: string) {
  const load = /^bench-load ([\d.]+) (\d+) ([\d.]+)$/m.exec(output);
  return {
    load: Number(load?.[1] ?? Number.NaN),
    entries: Number(load?.[2] ?? 0),
    cpu: Number(load?.[3] ?? Number.NaN),
    pages: output.match(/^bench-page$/gm)?.length ?? 0,
  };
}

async function bytesBelow(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) return found?.size ?? 0;
  let total = 0;
  for (const name of await readdir(path)) total += await bytesBelow(join(path, name));
  return total;
}

function siteFiles({ content, config = '', page }: SiteGiven): Record<string, string> {
  return {
    'package.json': JSON.stringify({ name: 'site', private: true, type: 'module' }),
    // Incremental builds and kept renderings hold for one lock file.
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

/** The same clock for every loader, whatever it prints itself. */
const marks = `
  export function timed(loader) {
    const load = async (context) => {
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

/** A page for each article that shows its text, and nothing else. */
export function articlePage({ whole = 'entry', props = '', mark = '' } = {}): string {
  return `---
    import { getCollection, render } from 'astro:content';
    import { withBody } from 'astro-articles';
    import { markPage } from '../marks.ts';
    export async function getStaticPaths() {
      const entries = await getCollection('articles');
      return entries.map((entry) => ({ params: { id: entry.id }, props: { entry }, ${props} }));
    }
    const { entry } = Astro.props;
    const { Content } = await render(${whole});
    ${mark}
    ---
    <html lang="en">
      <head><meta charset="utf-8" /><title>{entry.data.title}</title></head>
      <body><h1>{entry.data.title}</h1><Content /></body>
    </html>`;
}

/** As in the README, and with a clock around the loader. */
export const ourContent = `
  import { defineCollection } from 'astro:content';
  import { articlesCollection } from 'astro-articles';
  import { timed } from './marks.ts';
  const { loader, schema } = articlesCollection();
  export const collections = { articles: defineCollection({ loader: timed(loader), schema }) };`;

export const globContent = `
  import { defineCollection } from 'astro:content';
  import { glob } from 'astro/loaders';
  import { z } from 'astro/zod';
  import { timed } from './marks.ts';
  const loader = timed(glob({ base: './articles', pattern: '*.md' }));
  const schema = z.object({ title: z.string() });
  export const collections = { articles: defineCollection({ loader, schema }) };`;

/** Writes an article as glob() reads it. */
export async function writeMarkdown(
  site: BenchSite,
  { id, title, content }: { id: unknown; title: unknown; content: unknown },
): Promise<void> {
  await site.write(`articles/${id}.md`, `---\ntitle: ${JSON.stringify(title)}\n---\n\n${content}`);
}
