import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import { z } from 'astro/zod';
import { createArticlesClient } from '../../src/client/client.ts';
import { articleSchema } from '../../src/content/article-schema.ts';
import { articlesLoader } from '../../src/content/loader.ts';
import { forgetCollection } from '../../src/content/site-state.ts';
import { withBody } from '../../src/content/with-body.ts';
import { readHistory, redirectFormerSlugs } from '../../src/integration/former-slugs.ts';
import { openMirror } from '../../src/mirror/mirror.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { resolveOptions } from '../../src/options/resolve-options.ts';
import { historyOf, joinHistories } from '../../src/redirects/history.ts';
import { fetchSiteHistory, publishedSlugs } from '../../src/redirects/site-history.ts';
import { commitLoad } from '../../src/sync/commit.ts';
import { loadArticles } from '../../src/sync/pipeline.ts';
import { mayExistAfter } from '../../src/sync/window.ts';
import { type Intervention, watchFiles } from '../helpers/file-faults.ts';
import {
  createLoaderContext,
  openStore,
  type TestLoaderContext,
} from '../helpers/loader-context.ts';
import { createWorldClock, useClock } from './clock.ts';
import {
  type Edit,
  headerValues,
  keys,
  maxLag,
  origin,
  type Project,
  Service,
  type State,
} from './service.ts';

/** In memory where possible, because a world is thousands of small files. */
const disk = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export const home = new URL('https://blog.articles.page');

/** Whether the site has no page for a slug: its page leaves out some articles, such as those of the future. */
export const isWithheld = (slug: string) => slug.startsWith('a-b-c');

/** What goes wrong while a command runs. */
export interface Accident {
  /** `killed`: the process ends there. `full`: no later write succeeds. `failing`: one operation fails. */
  kind: 'killed' | 'torn' | 'full' | 'failing';
  /** Which operation or response it is, counted from the start of the process. */
  at: number;
  on: 'file' | 'index' | 'response';
}

export interface Settings {
  trustList: boolean;
  bodies: 'store' | 'mirror';
  /** Whether `transform` adds a date. */
  hasTransform: boolean;
  updatedField: boolean;
  /** The number that the schema adds to each entry. */
  edition: number;
  newest?: number | undefined;
}

/** An entry as pages see it. */
export interface ShownEntry {
  id: string;
  slug: string;
  title: string;
  body: string;
  html: string;
  /** The path of its URL. */
  cover: string | null;
  when: unknown;
  edition: unknown;
  position: number;
}

/** The result of one load. */
export interface Outcome {
  status: 'synced' | 'kept' | 'nothing' | 'failed' | 'killed';
  code?: string | undefined;
  error?: Error | undefined;
  warnings: string[];
  entries: ShownEntry[];
  project: Project;
  /** The states that the service had meanwhile, with those that a lagging replica may have sent. */
  window: State[];
  /** The same with all articles, of which `newest` leaves some out. */
  whole: State[];
  /** Whether Astro's store and the entries are those before the load. */
  isUnchanged: boolean;
}

/** The files that a build publishes: HTML by slug, and the history. */
export interface Output {
  pages: Map<string, string>;
  history: string;
}

/** What one machine has learned, which is lost and restored with its cache. */
export interface Memory {
  /** By project: the states of the service that the mirror may have. Absent without a mirror. */
  mirror: Partial<Record<Project, State[] | 'unknown'>>;
  /** Pairs of id and slug. */
  slugs: Record<Project, Set<string>>;
  /** Files of other programs, relative to the cache. */
  foreign: Map<string, string>;
  stores: Partial<Record<string, string>>;
}

interface Backup {
  files: { name: string; mtime: Date; bytes: Buffer }[];
  memory: Memory;
}

type Command = 'build' | 'dev';

/** Everything outside of the package: the service, the disk of one machine, the clock and the published site. */
export class World {
  readonly service = new Service();
  readonly clock = createWorldClock();
  readonly root = mkdtempSync(join(disk, 'world-'));
  readonly cache = join(this.root, 'cache');
  settings: Settings = {
    ...{ trustList: false, bodies: 'store', hasTransform: false, updatedField: false, edition: 1 },
  };
  memory: Memory = emptyMemory();
  readonly backups: Backup[] = [];
  /** The outputs of deployed builds. */
  readonly deployments: Output[] = [];
  siteStatus: 'fresh' | 'stale' | 'missing' | 'down' = 'fresh';
  /** The last response of the published site with a history. */
  lastHistory: string | undefined;
  /** Requests that carried a key to another origin. */
  readonly leaks: string[] = [];
  #restore: () => void;
  /** Whether the process of the last command was killed. */
  isDead = false;
  #responses = 0;
  #isReading = false;
  /** What another process does before the response with that number. */
  interruption: { at: number; run: () => Promise<void> } | undefined;

  constructor() {
    const realFetch = globalThis.fetch;
    const restoreClock = useClock(this.clock);
    globalThis.fetch = async (url, init) => this.#respondAsSite(String(url), init);
    this.#restore = () => {
      globalThis.fetch = realFetch;
      restoreClock();
    };
    mkdirSync(join(this.root, 'src'));
    writeFileSync(
      join(this.root, 'src/content.config.ts'),
      "import { edition } from './schema.ts';\nexport const collections = { edition };\n",
    );
    writeFileSync(join(this.root, 'package-lock.json'), '{}');
    this.writeSchema();
  }

  end(): void {
    this.#restore();
    this.exitProcess();
    rmSync(this.root, { recursive: true, force: true });
  }

  /** Returns the part of a state that the site requests. */
  part(state: State): State {
    return new Map([...state].slice(0, this.settings.newest));
  }

  get rootUrl() {
    return pathToFileURL(`${this.root}/`);
  }

  writeSchema(): void {
    const text = `export const edition = ${this.settings.edition};\n`;
    writeFileSync(join(this.root, 'src/schema.ts'), text);
  }

  exitProcess(): void {
    forgetCollection(this.rootUrl, 'articles');
  }

  #note(url: string, headers: Headers): void {
    const sent = `${url}\n${headerValues(headers)}`;
    const hasKey = Object.values(keys).some((key) => sent.includes(key));
    if (hasKey && new URL(url).origin !== origin) this.leaks.push(url);
  }

  #respondAsSite(url: string, init: RequestInit | undefined): Response {
    this.#note(url, new Headers(init?.headers));
    this.lastHistory = undefined;
    const { deployments } = this;
    if (this.siteStatus === 'down') return new Response('', { status: 503 });
    const output = this.siteStatus === 'stale' ? deployments.at(-2) : deployments.at(-1);
    if (!output || this.siteStatus === 'missing') return new Response('', { status: 404 });
    this.lastHistory = output.history;
    return new Response(output.history);
  }

  async #respondAsService(
    url: string,
    init: RequestInit,
    accident: Accident | undefined,
  ): Promise<Response> {
    const headers = new Headers(init.headers);
    this.#note(url, headers);
    if (accident?.on === 'response' && this.#responses === accident.at) this.isDead = true;
    const turn = this.#responses++;
    const { interruption } = this;
    if (turn === interruption?.at) {
      this.interruption = undefined;
      await interruption.run();
    }
    if (this.isDead) throw new TypeError('fetch failed');
    return this.service.respond(new URL(url), headers, () => {
      const { promise, reject } = Promise.withResolvers<Response>();
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      this.clock.expire();
      return promise;
    });
  }

  optionsFor(project: Project, accident?: Accident): ArticlesOptions {
    const { trustList, bodies, hasTransform, updatedField, newest } = this.settings;
    return {
      baseUrl: origin,
      apiKey: keys[project],
      project,
      trustList,
      bodies,
      pageSize: 50,
      ...(newest && { newest }),
      images: { covers: 'remote' },
      ...(updatedField && { updatedField: 'updated_at' }),
      ...(hasTransform && {
        transform: (article) => ({ ...article, when: dateOf(Number(article.serial)) as never }),
      }),
      fetch: async (url, init) => this.#respondAsService(String(url), init ?? {}, accident),
    };
  }

  /** Runs a command, which an accident may end. */
  async during(accident: Accident | undefined, run: () => Promise<void>): Promise<void> {
    this.isDead = false;
    this.#responses = 0;
    if (!accident) return run();
    const isKill = accident.kind === 'killed' || accident.kind === 'torn';
    const kill: Intervention = { kind: 'kill', torn: accident.kind === 'torn' };
    let operations = 0;
    const { stop } = watchFiles(this.cache, {
      before: ({ name, path }) => {
        if (this.isDead) return kill;
        if (accident.on === 'response' || this.#isReading) return undefined;
        if (accident.on === 'index' && !path.includes('index.json')) return undefined;
        const turn = operations++;
        if (isKill && turn === accident.at) {
          this.isDead = true;
          return kill;
        }
        const isWrite = /write|mkdir|rename|truncate/i.test(name);
        if (accident.kind === 'full' && turn >= accident.at && isWrite) {
          return { kind: 'fail', code: 'ENOSPC' };
        }
        if (accident.kind === 'failing' && turn === accident.at) {
          return { kind: 'fail', code: 'EIO' };
        }
        return undefined;
      },
    });
    try {
      await run();
    } catch (error) {
      if (!this.isDead) throw error;
    } finally {
      stop();
    }
  }

  /** Creates the context that Astro passes to a loader. */
  async openContext(command: Command): Promise<TestLoaderContext> {
    const known = await contextOf(command, this.settings.edition);
    const store = await openStore(this.memory.stores[command]);
    const root = this.rootUrl;
    const config = {
      ...known.config,
      ...{ root, cacheDir: new URL('cache/', root), srcDir: new URL('src/', root) },
      ...{ site: home.href, base: '/', redirects: {} },
    } as AstroConfig;
    return {
      ...{ ...known, config },
      store: store.scopedStore('articles'),
      meta: store.metaStore('articles'),
      storeText: () => store.toString(),
    };
  }

  /** Loads the collection once. */
  async load(
    context: TestLoaderContext,
    options: ArticlesOptions,
    { project, edits }: { project: Project; edits?: ReadonlyMap<number, readonly Edit[]> },
  ): Promise<Outcome> {
    const before = context.storeText();
    const states = this.service.states[project];
    const first = Math.max(
      0,
      states.length - 1 - (this.service.troubles.has('lagging') ? maxLag : 0),
    );
    this.service.begin(edits);
    // Shared by all contexts, of which one is in use at a time.
    const { lines } = context;
    lines.length = 0;
    const error = await articlesLoader(options)
      .load(context)
      .then(
        () => undefined,
        (failure: Error & { code?: string }) => failure,
      );
    this.service.begin();
    const hasLine = (pattern: RegExp) => lines.some(({ message }) => pattern.test(message));
    const warnings = lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    let status: Outcome['status'] = 'synced';
    if (error) status = 'failed';
    else if (hasLine(/There are no articles yet/)) status = 'nothing';
    else if (hasLine(/using articles from .* ago/i)) status = 'kept';
    return {
      ...{ status, error, code: error?.code, project, warnings },
      window: states.slice(first).map((state) => this.part(state)),
      whole: states.slice(first),
      entries: error ? [] : await this.readEntries(context),
      isUnchanged: context.storeText() === before,
    };
  }

  /** Reads entries as pages do, after the load. An accident of a page would end the build, and change nothing. */
  async readEntries({ store }: TestLoaderContext): Promise<ShownEntry[]> {
    this.#isReading = true;
    const entries = store.values().map(async (entry) => {
      const { data } = entry;
      const { body, rendered } = await withBody({ ...entry, collection: 'articles' });
      return {
        ...{ id: entry.id, slug: String(data.slug), title: String(data.title), body },
        html: rendered.html,
        cover:
          /\/media\/\d+\.jpg/.exec(JSON.stringify([data.cover_image, entry.assetImports]))?.[0] ??
          null,
        ...{ when: data.when, edition: data.edition, position: Number(data.position) },
      };
    });
    return Promise.all(entries).finally(() => {
      this.#isReading = false;
    });
  }

  /** Builds pages from the entries of a load. */
  async publish(context: TestLoaderContext, entries: readonly ShownEntry[]): Promise<Output> {
    const dist = mkdtempSync(join(this.root, 'dist-'));
    const logger = context.logger;
    const published = await readHistory(context.config, { mode: 'required', logger });
    const shown = entries.filter(({ slug }) => !isWithheld(slug));
    const pages = shown.map(({ slug }) => ({ pathname: `articles/${slug}/` }));
    for (const { pathname } of pages) {
      mkdirSync(join(dist, pathname), { recursive: true });
      writeFileSync(join(dist, pathname, 'index.html'), 'page');
    }
    const dir = pathToFileURL(`${dist}/`);
    await redirectFormerSlugs(context.config, { published, dir, pages, logger, hasServer: false });
    const folder = join(dist, 'articles');
    const slugs = existsSync(folder) ? readdirSync(folder) : [];
    const output = {
      pages: new Map(
        slugs.map((slug) => [slug, readFileSync(join(folder, slug, 'index.html'), 'utf8')]),
      ),
      history: readFileSync(join(dist, '_articles/addresses.json'), 'utf8'),
    };
    rmSync(dist, { recursive: true });
    return output;
  }

  /** Does what the command `astro-articles sync` does. */
  async sync(project: Project, accident?: Accident): Promise<void> {
    const cacheFolder = join(this.cache, 'astro-articles');
    const loader = this.optionsFor(project, accident);
    const options = resolveOptions({ loader, integration: {}, environment: {}, command: 'build' });
    const { baseUrl: source } = options;
    const place = { parent: cacheFolder, collection: 'articles', source, project, cacheFolder };
    const mirror = await openMirror(place);
    const client = createArticlesClient(options);
    const loaded = await loadArticles({ mirror, options, client });
    await commitLoad(loaded, { mirror });
    const logger = { info() {}, warn() {} };
    const history = await fetchSiteHistory(home, { mode: 'best-effort', logger });
    const own = mirror.index.articles.map(({ id }) => id);
    const mayExist = mayExistAfter(loaded, options) ?? (() => false);
    const parts = publishedSlugs(history, 'articles', new Set(['articles'])).map((part) =>
      historyOf(part, [...own, ...[...part.keys()].filter(mayExist)]),
    );
    await mirror.addSlugs(joinHistories(...parts));
  }

  loseCache(): void {
    rmSync(this.cache, { recursive: true, force: true });
    this.memory = emptyMemory();
  }

  saveCache(): void {
    const names = existsSync(this.cache) ? readdirSync(this.cache, { recursive: true }) : [];
    const files = names.map(String).flatMap((name) => {
      const path = join(this.cache, name);
      const { mtime } = statSync(path);
      return statSync(path).isFile() ? [{ name, mtime, bytes: readFileSync(path) }] : [];
    });
    this.backups.push({ files, memory: structuredClone(this.memory) });
  }

  restoreCache(back: number): boolean {
    const backup = this.backups.at(-1 - (back % Math.max(1, this.backups.length)));
    if (!backup) return false;
    rmSync(this.cache, { recursive: true, force: true });
    for (const { name, mtime, bytes } of backup.files) {
      const path = join(this.cache, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
      utimesSync(path, mtime, mtime);
    }
    this.memory = structuredClone(backup.memory);
    return true;
  }

  /** Puts an old file of another program next to the files of each mirror. */
  addForeignFile(name: string): boolean {
    const parent = join(this.cache, 'astro-articles');
    const mirrors = existsSync(parent) ? readdirSync(parent) : [];
    for (const mirror of mirrors) {
      const path = join('astro-articles', mirror, name);
      const file = join(this.cache, path);
      if (this.memory.foreign.has(path)) continue;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, path);
      utimesSync(file, 1, 1);
      this.memory.foreign.set(path, path);
    }
    return mirrors.length > 0;
  }
}

/** The date that `transform` adds to an article. */
export function dateOf(serial: number): Date {
  return new Date(serial * 86_400_000);
}

const contexts = new Map<string, Promise<TestLoaderContext>>();
const template = mkdtempSync(join(disk, 'world-template-'));
process.once('exit', () => rmSync(template, { recursive: true, force: true }));

/** Astro takes long to create a context, so worlds share them. */
function contextOf(command: Command, edition: number): Promise<TestLoaderContext> {
  const key = `${command} ${edition}`;
  const known = contexts.get(key);
  if (known) return known;
  const made = createLoaderContext({
    ...{ root: template, command, inMemory: true },
    schema: (context) =>
      articleSchema(context).extend({
        when: z.string().optional(),
        edition: z.number().default(edition),
      }),
  });
  contexts.set(key, made);
  return made;
}

function emptyMemory(): Memory {
  return {
    ...{ mirror: {}, stores: {} },
    slugs: { main: new Set(), staging: new Set() },
    foreign: new Map(),
  };
}
