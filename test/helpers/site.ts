import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow } from './mirror-folder.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

export interface SiteOptions {
  /** The version of Astro that builds the site. @default 7 */
  astro?: 6 | 7;
  /** How the package is in node_modules. @default 'linked' with Astro 7, 'installed' with Astro 6 */
  install?: 'linked' | 'installed';
  /** Options for `articles()` in astro.config, as source text. */
  options?: string;
  /** Further astro.config fields, as source text. */
  config?: string;
  /** Files to add or replace. */
  files?: Record<string, string>;
  /** Whether the site publishes its key on purpose: `remove()` then does not search for it. */
  leaky?: boolean;
}

export interface Run {
  status: number | null;
  /** Standard output and error together, without colours. */
  output: string;
}

export interface DevServer {
  url: string;
  /** Returns the output so far. */
  output(): string;
  stop(): Promise<void>;
}

export type Site = Awaited<ReturnType<typeof createSite>>;

export interface BuiltEntry {
  id: string;
  body: string;
  digest: string;
  html: string;
  data: Record<string, unknown> & {
    cover_image: { src: string; width: number; height: number } | null;
  };
}

/** Creates a small site in a temporary folder. */
export async function createSite(options: SiteOptions = {}) {
  const { astro = 7, install = astro === 7 ? 'linked' : 'installed' } = options;
  const home = join(project, 'test', astro === 6 ? 'astro-6' : '');
  const root = await mkdtemp(join(home, '.site-'));
  const keys = new Set<string>();
  const outputs: (() => string)[] = [];
  const servers: DevServer[] = [];
  const copies: string[] = [];

  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  const read = (path: string) => readFile(join(root, path), 'utf8');
  const noteKey = ({ ARTICLES_API_KEY: key }: Record<string, string>) => {
    if (key) keys.add(key);
  };
  const ready = async (started: NodeProcess, address: RegExp): Promise<DevServer> => {
    const server = await untilListening(started, address);
    outputs.push(server.output);
    servers.push(server);
    return server;
  };
  const listen = async (args: string[], env: Record<string, string>) => {
    noteKey(env);
    const started = await spawnAstro({ root, astro, args: [...args, '--port', '0'], env });
    return ready(started, /http:\/\/localhost:\d+/);
  };

  for (const [path, text] of Object.entries({ ...siteFiles(options), ...options.files })) {
    await write(path, text);
  }
  if (install === 'installed') await installPackage(root);

  const site = {
    root,
    write,
    read,
    /** Runs `astro build`, or another command, and waits for its end. */
    async astro(args: string[] = ['build'], env: Record<string, string> = {}): Promise<Run> {
      noteKey(env);
      const { ended, output } = await spawnAstro({ root, astro, args, env });
      outputs.push(output);
      return { status: await ended, output: output() };
    },
    /** Builds the site, and returns the output. @throws {Error} when the build fails */
    async build(env?: Record<string, string>): Promise<string> {
      const { status, output } = await site.astro(['build'], env);
      if (status !== 0) throw new Error(`The build failed:\n${output}`);
      return output;
    },
    /** Runs `astro check`. @throws {Error} when there are errors of types */
    async check(env?: Record<string, string>): Promise<void> {
      const { output } = await site.astro(['check'], env);
      if (!output.includes('- 0 errors')) throw new Error(output);
    },
    /** Starts `astro dev` on a free port and waits until it is ready. */
    dev: (env: Record<string, string> = {}, args: string[] = []) => listen(['dev', ...args], env),
    /** Starts `astro preview` on a free port and waits until it is ready. */
    preview: (env: Record<string, string> = {}) => listen(['preview'], env),
    /** Starts the server that a build with the Node adapter wrote, and waits until it is ready. */
    serve(env: Record<string, string> = {}): Promise<DevServer> {
      noteKey(env);
      const script = join(root, 'dist/server/entry.mjs');
      const local = { HOST: '127.0.0.1', PORT: '0', ...env };
      const started = spawnNode([script], { cwd: root, env: local });
      return ready(started, /(?<=listening on )http:\/\/127\.0\.0\.1:\d+/);
    },
    /** Starts the worker that a build with the Cloudflare adapter wrote, as `wrangler dev` does. */
    worker(): Promise<DevServer> {
      const script = join(project, 'node_modules/wrangler/wrangler-dist/cli.js');
      const args = [script, 'dev', '--ip', '127.0.0.1', '--port', '0'];
      // It sends no request to other machines, and its log is in the folder of the site.
      const env = {
        HOME: root,
        CI: 'true',
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
        WRANGLER_HIDE_BANNER: 'true',
        WRANGLER_SEND_METRICS: 'false',
      };
      return ready(spawnNode(args, { cwd: root, env }), readyOn);
    },
    /** Starts the function that a build with the adapter of Netlify or Vercel wrote, and a server of the built pages. */
    async hosted(name: 'Netlify' | 'Vercel', env: Record<string, string> = {}): Promise<DevServer> {
      noteKey(env);
      const { files, folder, entry } = hosted[name];
      // Outside of the repository, so that it imports only what the adapter has copied.
      const copy = await mkdtemp(join(tmpdir(), 'function-'));
      copies.push(copy);
      await cp(join(root, folder), copy, { recursive: true, verbatimSymlinks: true });
      const script = fileURLToPath(new URL('host-program.ts', import.meta.url));
      const args = [script, name, join(root, files), join(copy, await entry(copy))];
      return ready(spawnNode(args, { cwd: copy, env }), readyOn);
    },
    /** Removes the output, the mirror and Astro's store. */
    async reset(): Promise<void> {
      for (const path of ['dist', '.astro', 'node_modules/.astro']) {
        await rm(join(root, path), { recursive: true, force: true });
      }
    },
    /** Lists all files below a folder of the site, as paths from there. */
    list: (path: string): Promise<string[]> => filesBelow(join(root, path)),
    /** Returns the result of `getCollection('articles')` in a page that prints it. */
    entries: async (): Promise<BuiltEntry[]> => JSON.parse(await read('dist/entries.json')),
    /** Stops its servers, searches every file and printed line for the API keys, then removes the site. */
    async remove(): Promise<void> {
      for (const server of servers) await server.stop();
      const leaks = options.leaky ? [] : await leaksIn(root, { keys, outputs });
      for (const folder of [root, ...copies]) await rm(folder, { recursive: true, force: true });
      if (leaks.length > 0) throw new Error(`The API key was found in ${leaks.join(', ')}.`);
    },
  };
  return site;
}

const readyOn = /(?<=Ready on )http:\/\/127\.0\.0\.1:\d+/;

/** What the adapters of hosts write: the folders of built pages and of the function, and the module in that one. */
const hosted = {
  Netlify: { files: 'dist', folder: '.netlify/v1/functions/ssr', entry: () => 'ssr.mjs' },
  Vercel: {
    files: '.vercel/output/static',
    folder: '.vercel/output/functions/_render.func',
    entry: async (copy: string): Promise<string> =>
      JSON.parse(await readFile(join(copy, '.vc-config.json'), 'utf8')).handler,
  },
};

/** Returns the files and outputs that contain a key (promise P3). Every test that builds a site calls it. */
async function leaksIn(
  root: string,
  { keys, outputs }: { keys: ReadonlySet<string>; outputs: (() => string)[] },
): Promise<string[]> {
  const forms = [...keys].flatMap((key) => [key, Buffer.from(key).toString('base64')]);
  const includesKey = (text: string | Buffer) => forms.some((form) => text.includes(form));
  const leaks = outputs.some((output) => includesKey(output())) ? ['the output'] : [];
  for (const path of await filesBelow(root)) {
    if (includesKey(await readFile(join(root, path)))) leaks.push(path);
  }
  return leaks.filter((path) => !/^\.env|^(?:dist\/server\/)?\.dev\.vars$/.test(path));
}

/** Copies the files of `npm pack` into the site, so that the package cannot import anything else of the repository. */
async function installPackage(root: string): Promise<void> {
  const target = join(root, 'node_modules/astro-articles');
  await cp(join(project, 'dist'), join(target, 'dist'), { recursive: true });
  await cp(join(project, 'package.json'), join(target, 'package.json'));
  // As npm does when Astro needs an older version.
  const own = join(target, 'node_modules');
  await mkdir(own);
  await symlink(join(project, 'node_modules/sharp'), join(own, 'sharp'), 'junction');
}

interface AstroCommand {
  root: string;
  astro: 6 | 7;
  args: string[];
  env: Record<string, string>;
}

async function untilListening(
  { child, ended, output }: NodeProcess,
  address: RegExp,
): Promise<DevServer> {
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const url = address.exec(output())?.[0];
      if (url) resolve(url);
    };
    child.stdout.on('data', look);
    ended.then(() => reject(new Error(`the server ended:\n${output()}`)));
  });
  return {
    url,
    output,
    async stop() {
      child.kill();
      await ended;
    },
  };
}

async function spawnAstro({ root, astro, args, env }: AstroCommand) {
  const home = join(project, astro === 6 ? 'test/astro-6' : '.', 'node_modules/astro');
  const { bin } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  // Tests compare what builds and dev servers render.
  const steadyDate = new URL('steady-date.ts', import.meta.url).href;
  return spawnNode(['--import', steadyDate, join(home, bin.astro), ...args], { cwd: root, env });
}

type NodeProcess = ReturnType<typeof spawnNode>;

function spawnNode(args: string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ASTRO_TELEMETRY_DISABLED: '1',
      NO_COLOR: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => printed.push(String(data)));
  }
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, ended, output: () => printed.join('') };
}

function siteFiles({ options = '', config = '' }: SiteOptions): Record<string, string> {
  return {
    'package.json': JSON.stringify({
      name: 'site',
      private: true,
      type: 'module',
      dependencies: { astro: '*', 'astro-articles': '*' },
    }),
    'astro.config.mjs': `
      import { defineConfig } from 'astro/config';
      import articles from 'astro-articles';
      export default defineConfig({ integrations: [articles(${options})], devToolbar: { enabled: false }, ${config} });`,
    'src/content.config.ts': `
      import { defineCollection } from 'astro:content';
      import { articlesLoader } from 'astro-articles';
      export const collections = { articles: defineCollection({ loader: articlesLoader() }) };`,
    'src/pages/entries.json.ts': `
      import { getCollection } from 'astro:content';
      export async function GET() {
        const entries = await getCollection('articles');
        return Response.json(entries.map(({ id, body, digest, data, rendered }) =>
          ({ id, body, digest, data, html: rendered?.html })));
      }`,
    'src/pages/[...slug].astro': `---
      import { getCollection, render } from 'astro:content';
      import { Image } from 'astro:assets';
      export async function getStaticPaths() {
        const entries = await getCollection('articles');
        return entries.map((entry) => ({ params: { slug: entry.data.slug }, props: { entry } }));
      }
      const { entry } = Astro.props;
      const { Content, headings } = await render(entry);
      ---
      <h1>{entry.data.title}</h1>
      {entry.data.cover_image && <Image src={entry.data.cover_image} alt="" width={320} />}
      <nav>{headings.map(({ slug, text }) => <a href={'#' + slug}>{text}</a>)}</nav>
      <article><Content /></article>`,
  };
}
