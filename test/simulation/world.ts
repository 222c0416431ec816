import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { isIP, type LookupFunction } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import type { LoaderContext } from 'astro/loaders';
import { z } from 'astro/zod';
import { Agent, setGlobalDispatcher } from 'undici';
import { translateApi } from '../../src/client/translate.ts';
import { articlesLoader } from '../../src/content/articles-loader.ts';
import { articleSchema } from '../../src/content/schema.ts';
import { siteAt } from '../../src/content/site-state.ts';
import { withBody } from '../../src/content/with-body.ts';
import { redirectFormerPaths } from '../../src/integration/former-paths.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { readFlags } from '../../src/options/resolve-options.ts';
import { parseJson } from '../../src/shared/json-value.ts';
import { slugOf } from '../../src/shared/slug.ts';
import { type Intervention, watchFiles } from '../helpers/file-faults.ts';
import { setVariables } from '../helpers/load-site.ts';
import {
  collectLines,
  createLoaderContext,
  openStore,
  type TestLoaderContext,
} from '../helpers/loader-context.ts';
import { temporaryRoot } from '../helpers/temporary-root.ts';
import { createWorldClock, useClock } from './clock.ts';
import {
  type Edit,
  headerValues,
  keys,
  maxLag,
  nextKey,
  origin,
  type Project,
  Service,
  type State,
  titles,
} from './service.ts';

const require = createRequire(import.meta.url);

// A dispatcher of the site lets all requests go through the global `fetch`, which the world replaces.
setGlobalDispatcher(new Agent().compose((dispatch) => dispatch));
const { lookup } = require('node:dns');
require('node:dns').lookup = (...[name, options, callback]: Parameters<LookupFunction>) =>
  isIP(name) || name === 'localhost'
    ? lookup(name, options, callback)
    : callback(null, [{ address: '93.184.216.34', family: 4 }]);

syncBuiltinESMExports();

/** What can happen to a file. */
export const corruptions = ['cut', 'short', 'changed', 'zeros', 'gone'] as const;

/**
 * What the published site responds with to the request for its history. `moved`: it has another host, where nothing is
 * before the next build. `unknown`: its name is not found.
 */
export const siteStates = [
  'fresh',
  'stale',
  'missing',
  'moved',
  'down',
  'html',
  'unknown',
] as const;
export const home = new URL('https://blog.articles.page');

/** The names that the first collection has, one after the other. */
export const collectionNames = ['articles', 'posts', 'blog'] as const;
/** Where the pages of the other collection are, such as those of a language; nowhere without it. */
export const otherFolders = [undefined, 'de', 'de/articles'] as const;

/** Whether the site has no page for a slug: its page leaves out some articles, such as those of the future. */
export const isWithheld = (slug: string) => slug.startsWith('a-b-c');

/** Whether `transform` leaves out an article. */
export const isLeftOut = ({ title }: { title: string }) => title.startsWith(String(titles.at(-1)));

/** What goes wrong while a command runs. */
export interface Accident {
  /**
   * `killed`: the process ends there. `full`: no later write succeeds. `failing`: one operation fails. `read-only`: no write
   * succeeds. `refused`: Astro's store refuses an entry, and keeps those before it.
   */
  kind: 'killed' | 'torn' | 'full' | 'failing' | 'read-only' | 'refused';
  /** Which operation, response or entry it is, counted from the start of the process. */
  at: number;
  on: 'file' | 'index' | 'response';
}

/** Options that shape one request or one text only, so that no story needs them; `drafts` is set by the step. */
type OtherOptions =
  | ('query' | 'concurrency' | 'timeout' | 'retries')
  | ('sanitize' | 'links' | 'format' | 'drafts');

/** The options of a load in the simulated world: each one that is not among the others has a value. */
type SimulatedOptions = {
  [Name in Exclude<keyof ArticlesOptions, OtherOptions>]: ArticlesOptions[Name];
};

type Images = NonNullable<ArticlesOptions['images']>;

/** The options of the site, and what its own code does. */
export type Settings = Pick<ArticlesOptions, 'rows' | 'bodies' | 'entryId' | 'newest'> &
  Pick<Images, 'covers' | 'body'> & {
    /** Whether an image that cannot be downloaded fails a build. */
    failsOnImages?: boolean;
    /** Whether ARTICLES_ALLOW_REMOVAL is set. */
    allowRemoval?: boolean;
    /** Whether the service is another API, which `translateApi()` translates. */
    translates?: boolean;
    /** Whether `transform` adds a date. */
    hasTransform?: boolean;
    /** Whether `transform` leaves out articles with the last title. */
    leavesOut?: boolean;
    /** Whether `astro dev` shows them. */
    showsInDev?: boolean;
    /** Whether the service has given the first project another key. */
    hasNextKey?: boolean;
    /** The name of the first collection. */
    name: (typeof collectionNames)[number];
    otherFolder?: (typeof otherFolders)[number];
    redirects: 'required' | 'best-effort' | 'off';
    /** The number that the schema adds to each entry. */
    edition: number;
  };

/** An entry as pages see it. */
export interface ShownEntry {
  entryId: string;
  /** The id of its article. */
  id: string;
  slug: string;
  /** Its own slug in the service, or the one that is derived from its title. */
  wanted: string;
  /** Its own slug in the service. */
  given: unknown;
  title: string;
  body: string;
  html: string;
  /** Whether Astro's store has its text. */
  isStored: boolean;
  /** The path of its URL. */
  cover: string | null;
  /** The local images in it: path and edition. */
  images: string[];
  when: unknown;
  edition: unknown;
  rank: unknown;
  position: number;
}

/** The result of one load. */
export interface Outcome {
  status: 'synced' | 'kept' | 'nothing' | 'failed';
  code?: string | undefined;
  error?: Error | undefined;
  warnings: string[];
  entries: ShownEntry[];
  project: Project;
  /** The states that the service had meanwhile, with those that a lagging replica may have sent. */
  window: State[];
  /** Ids of articles that are shown in an earlier version. */
  earlier: ReadonlySet<string>;
  /** The same with all articles, of which `newest` leaves some out. */
  whole: State[];
  /** Whether Astro's store and the entries are those before the load. */
  isUnchanged: boolean;
}

/** By name of a collection: pairs of id and slug. */
export type Pairs = ReadonlyMap<string, ReadonlySet<string>>;

/** The files that a build publishes: HTML by path, and the history, empty without one. */
export interface Output {
  pages: Map<string, string>;
  history: string;
  /** What the history has to contain. */
  due: Pairs;
}

/** What one machine has learned, which is lost and restored with its cache. */
export interface Memory {
  /** By mirror: the states of the service that it may have. Absent without a mirror. */
  mirror: Map<string, State[] | 'unknown'>;
  /** By mirror: the ids that the last build showed, whose removal the next one checks. */
  shown: Map<string, string[]>;
  /** By mirror: pairs of id and slug. */
  slugs: Map<string, ReadonlySet<string>>;
  /** Files of other programs, relative to the cache. */
  foreign: Map<string, string>;
  /** Whether no load has written all files again since one was corrupted. */
  isDamaged: boolean;
  stores: Partial<Record<string, string>>;
}

type Command = 'build' | 'dev';

/** The context of the first collection. */
export interface SiteContext extends TestLoaderContext {
  /** Returns what the context of a project has in its place. */
  contextFor(project: Project): Pick<LoaderContext, 'collection' | 'store' | 'meta'>;
}

/** Everything outside of the package: the service, the disk of one machine, the clock and the published site. */
export class World {
  readonly service = new Service();
  readonly clock = createWorldClock();
  readonly root = mkdtempSync(join(temporaryRoot, 'world-'));
  /** The same folder by another name, under which another process has a state of its own. */
  readonly otherRoot = `${this.root}-other`;
  readonly cache = join(this.root, 'cache');
  settings: Settings = { covers: 'remote', redirects: 'required', edition: 1, name: 'articles' };
  memory: Memory = emptyMemory();
  readonly backups: { folder: string; memory: Memory }[] = [];
  /** The outputs of deployed builds. */
  readonly deployments: Output[] = [];
  siteStatus: (typeof siteStates)[number] = 'fresh';
  /** The output whose history the published site has sent last. */
  lastRead: Output | undefined;
  /** Requests that carried a key to another origin. */
  readonly leaks: string[] = [];
  /** Whether each image has to be current, because those of earlier loads are stale. */
  isLate = false;
  /** The number of articles that were rendered. */
  renderings = 0;
  /** Ids that a load has found at their own URLs, although two readings of the listing lacked them. */
  readonly unlisted = new Set<string>();
  #restore: () => void;
  /** Whether the process of the last command was killed. */
  isDead = false;
  #responses = 0;
  /** That of the process whose options were the last ones. */
  #accident: Accident | undefined;
  /** The number of entries that the process has written to Astro's store. */
  #sets = 0;
  #isReading = false;
  /** What another process does before the response with that number. */
  interruption: { at: number; run: () => Promise<void> } | undefined;
  /** Settles when the other process has ended, which a load that fails does not wait for. */
  #interrupting: Promise<void> | undefined;

  constructor() {
    const realFetch = globalThis.fetch;
    const restoreClock = useClock(this.clock);
    globalThis.fetch = async (given, init) => {
      const url = new URL(String(given));
      const isArticle = url.origin === origin && !url.pathname.startsWith('/media/');
      return isArticle
        ? this.#respondAsService(url.href, init ?? {}, this.#accident)
        : this.#respondAsHost(url, init);
    };
    this.#restore = () => {
      globalThis.fetch = realFetch;
      restoreClock();
    };
    symlinkSync(this.root, this.otherRoot);
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
    rmSync(this.otherRoot);
    rmSync(this.root, { recursive: true, force: true });
  }

  /** Returns the part of a state that the site requests. */
  part(state: State): State {
    return new Map([...state].slice(0, this.newest));
  }

  /** The name of the collection that a project has. */
  nameOf(project: Project): string {
    return project === 'other' ? 'beiträge' : this.settings.name;
  }

  /** A name for the mirror of a project. */
  mirrorOf(project: Project): string {
    return `${this.nameOf(project)}${project === 'staging' ? ' of staging' : ''}`;
  }

  /** The folder of the pages of a project. */
  folderOf(project: Project): string {
    return project === 'other' ? String(this.settings.otherFolder) : 'articles';
  }

  /** Whether the service is as it should be. */
  get isQuiet(): boolean {
    return this.service.troubles.size === 0;
  }

  get rootUrl() {
    return pathToFileURL(`${this.root}/`);
  }

  writeSchema(): void {
    const text = `export const edition = ${this.settings.edition};\n`;
    writeFileSync(join(this.root, 'src/schema.ts'), text);
  }

  /** Whether a build cannot read what the site has published. */
  get hidesHistory(): boolean {
    return ['down', 'html', 'unknown'].includes(this.siteStatus);
  }

  /** Whether a build has to fail, because it cannot read what the site has published. */
  get lacksHistory(): boolean {
    return this.hidesHistory && this.settings.redirects === 'required';
  }

  exitProcess(root = this.rootUrl): void {
    const state = siteAt(root);
    for (const parts of [state.reports, state.reloads, state.bodies, state.slugs]) parts.clear();
    delete state.integration;
    delete state.inputs;
    state.loads = 0;
  }

  #note(url: string, headers: Headers, body?: unknown): void {
    const sent = `${url}\n${headerValues(headers)}\n${body}`;
    const hasKey = [...Object.values(keys), nextKey].some((key) => sent.includes(key));
    if (hasKey && (new URL(url).origin !== origin || /\/media\//.test(url))) this.leaks.push(url);
  }

  /** Responds as the published site, or as the host of images. */
  #respondAsHost(url: URL, init: RequestInit | undefined): Response | Promise<Response> {
    const headers = new Headers(init?.headers);
    this.#note(url.href, headers, init?.body);
    if (url.origin === origin) {
      if (this.service.troubles.has('unknown')) throw notFound();
      return this.service.respondWithImage(url, headers);
    }
    this.lastRead = undefined;
    const { deployments } = this;
    if (this.siteStatus === 'unknown') throw notFound();
    if (this.siteStatus === 'down') return new Response('', { status: 503 });
    if (this.siteStatus === 'html') return new Response('<title>Welcome</title>');
    const output = this.siteStatus === 'stale' ? deployments.at(-2) : deployments.at(-1);
    const isNowhere = this.siteStatus === 'missing' || this.siteStatus === 'moved';
    if (!output?.history || isNowhere) return new Response('', { status: 404 });
    this.lastRead = output;
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
      this.#interrupting = interruption.run();
      await this.#interrupting;
    }
    if (this.isDead) throw new TypeError('fetch failed');
    if (this.service.troubles.has('unknown')) throw notFound();
    return this.service.respond(new URL(url), headers, async () => {
      while (!init.signal?.aborted) await this.clock.expire();
      throw init.signal.reason;
    });
  }

  /** The number of rows to load. Those that are the newest are known only if they come first. */
  get newest(): number | undefined {
    return this.service.manner.order === 'newest-first' ? this.settings.newest : undefined;
  }

  optionsFor(
    project: Project,
    accident?: Accident,
    leavesOut = this.settings.leavesOut,
  ): ArticlesOptions {
    const { hasTransform, hasNextKey, failsOnImages, covers, body } = this.settings;
    const { bodies, entryId, translates } = this.settings;
    const { order } = this.service.manner;
    // Rows without a text would be drafts.
    const lacksText = this.settings.rows === 'whole' && this.service.manner.rows !== 'full';
    const rows = lacksText ? 'compare' : this.settings.rows;
    this.#accident = accident;
    const options: SimulatedOptions = {
      apiKey: project === 'main' && hasNextKey ? nextKey : keys[project],
      ...{ baseUrl: origin, pageSize: 50, rows, bodies, entryId, order },
      newest: this.newest,
      mirrorDir: project === 'staging' ? 'cache/staging' : undefined,
      images: { covers, body },
      failOn: ['articles', 'service', ...(failsOnImages ? ['images' as const] : [])],
      transform:
        hasTransform || leavesOut
          ? (article) => {
              if (leavesOut && isLeftOut(article)) return undefined;
              return { ...article, ...(hasTransform && { when: dateOf(Number(article.serial)) }) };
            }
          : undefined,
      fetch: translates ? translation : (url, init) => fetch(url, init),
    };
    return options;
  }

  /** Runs a command, which an accident may end. */
  async during(accident: Accident | undefined, run: () => Promise<void>): Promise<void> {
    this.isDead = false;
    this.#responses = 0;
    this.#sets = 0;
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
        if (accident.kind === 'read-only' && isWrite) return { kind: 'fail', code: 'EROFS' };
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
  async openContext(command: Command, root = this.rootUrl): Promise<SiteContext> {
    const known = await contextOf(command, this.settings.edition);
    const store = await openStore(this.memory.stores[command]);
    const config = {
      ...known.config,
      ...{ root, cacheDir: new URL('cache/', root), srcDir: new URL('src/', root) },
      ...{ site: home.href, base: '/', redirects: {} },
    } as AstroConfig;
    if (command === 'build') {
      const redirects = this.settings.redirects !== 'off';
      siteAt(root).integration = { options: {}, redirects, mode: 'production' };
    }
    const scope = (project: Project) => {
      const collection = this.nameOf(project);
      return {
        collection,
        store: store.scopedStore(collection),
        meta: store.metaStore(collection),
      };
    };
    const main = scope('main');
    const entries = main.store;
    const { set } = entries;
    entries.set = (entry) => {
      const { kind, at = 0 } = this.#accident ?? {};
      // A story has few articles.
      if (kind === 'refused' && this.#sets++ === at % 4) {
        this.isDead = true;
        throw new Error('the store refuses the entry');
      }
      return set(entry);
    };
    return {
      ...{ ...known, ...main, config },
      contextFor: (project) => (project === 'other' ? scope(project) : main),
      storeText: () => store.toString(),
      renderMarkdown: (...args) => {
        this.renderings += 1;
        return known.renderMarkdown(...args);
      },
    };
  }

  /** Loads the collection of a project once. */
  async load(
    site: SiteContext,
    options: ArticlesOptions,
    {
      project,
      edits,
      isOffline = false,
    }: { project: Project; edits?: ReadonlyMap<number, readonly Edit[]>; isOffline?: boolean },
  ): Promise<Outcome> {
    this.#noteUnlisted();
    const context = { ...site, ...site.contextFor(project) };
    const before = context.storeText();
    const states = this.service.states[project];
    const first = Math.max(
      0,
      states.length - 1 - (this.service.troubles.has('lagging') ? maxLag : 0),
    );
    this.service.begin(edits);
    // Warnings of the last load would not be printed again.
    siteAt(context.config.root).reports.clear();
    // Shared by all contexts, of which one is in use at a time.
    const { lines } = context;
    lines.length = 0;
    const undo = this.#setVariables(isOffline);
    const error = await articlesLoader(options)
      .load(context)
      .then(
        () => undefined,
        (failure: Error & { code?: string }) => failure,
      );
    await this.#interrupting;
    undo();
    this.service.begin();
    // With two collections, lines begin with their names.
    const said = lines.map(({ level, message }) => ({
      level,
      message: message.replace(`${context.collection}: `, ''),
    }));
    const hasLine = (pattern: RegExp) => said.some(({ message }) => pattern.test(message));
    const warnings = said.filter(({ level }) => level === 'warn').map(({ message }) => message);
    for (const { message } of said) {
      const [, id] = /^Article "(.+)": left out, not listed$/.exec(message) ?? [];
      if (id) this.unlisted.add(id);
    }
    const earlier = said.flatMap(
      ({ message }) => /^Article "(.+)": shown, earlier version$/.exec(message)?.[1] ?? [],
    );
    let status: Outcome['status'] = 'synced';
    if (error) status = 'failed';
    else if (hasLine(/No article was loaded/)) status = 'nothing';
    else if (hasLine(/using articles from .* GMT/i)) status = 'kept';
    return {
      ...{ status, error, code: error?.code, project, warnings },
      earlier: new Set(earlier),
      window: states.slice(first).map((state) => this.part(state)),
      whole: states.slice(first),
      // Entries of an earlier process may lack their texts then.
      entries: error || status === 'nothing' ? [] : await this.readEntries(context),
      isUnchanged: context.storeText() === before,
    };
  }

  #setVariables(isOffline = false): () => void {
    return setVariables({
      ARTICLES_OFFLINE: isOffline ? '1' : '',
      ARTICLES_ALLOW_REMOVAL: this.settings.allowRemoval ? '1' : '',
      ARTICLES_REDIRECTS: this.settings.redirects === 'best-effort' ? 'best-effort' : '',
    });
  }

  /** Reads entries as pages do, after the load. An accident of a page would end the build, and change nothing. */
  async readEntries({
    store,
    collection,
  }: Pick<LoaderContext, 'collection' | 'store'>): Promise<ShownEntry[]> {
    this.#isReading = true;
    const entries = store.values().map(async (entry) => {
      const { data } = entry;
      const { body, rendered } = await withBody({ ...entry, collection });
      const images: string[] = [];
      const folder = join(this.root, dirname(entry.filePath ?? ''));
      /** Replaces the path of each local file by that of the image that it contains. */
      const named = (text: unknown) =>
        String(text).replaceAll(/[\w./-]+\/[0-9a-f]{32}\.gif/g, (path) => {
          const bytes = readFileSync(join(folder, path), 'latin1');
          const [image = '', name = ''] = /(\/media\/.+)#\d+(?=;.*\x3b$)/s.exec(bytes) ?? [];
          images.push(image);
          return name;
        });
      const html = named(rendered?.html);
      const derived = await slugOf({ id: String(data.key), title: String(data.title) });
      return {
        ...{ entryId: entry.id, id: String(data.key), slug: String(data.slug) },
        ...{ given: data.given, wanted: String(data.given ?? derived) },
        ...{ title: String(data.title), body, isStored: entry.rendered !== undefined },
        html: html.replaceAll(
          /__ASTRO_IMAGE_="{&#x22;src&#x22;:&#x22;([^&]*)/g,
          `src="${origin}$1"`,
        ),
        cover: /\/media\/\d+\.jpg/.exec(named(data.cover_image))?.[0] ?? null,
        images,
        ...{ when: data.when, edition: data.edition, rank: data.rank },
        position: Number(data.position),
      };
    });
    return Promise.all(entries).finally(() => {
      this.#isReading = false;
    });
  }

  /** Builds pages from the entries of loads. */
  async publish(
    context: TestLoaderContext,
    loads: readonly Pick<Outcome, 'project' | 'entries'>[],
    isOffline = false,
  ): Promise<Output> {
    const dist = mkdtempSync(join(this.root, 'dist-'));
    const logger = context.logger;
    const pages = loads.flatMap(({ project, entries }) => {
      const shown = entries.filter(({ slug }) => !isWithheld(slug));
      return shown.map(({ slug }) => ({ pathname: `${this.folderOf(project)}/${slug}/` }));
    });
    for (const { pathname } of pages) {
      mkdirSync(join(dist, pathname), { recursive: true });
      writeFileSync(join(dist, pathname, 'index.html'), 'page');
    }
    const dir = pathToFileURL(`${dist}/`);
    const undo = this.#setVariables(isOffline);
    const flags = readFlags(process.env);
    undo();
    await redirectFormerPaths(context.config, { dir, pages, routes: [], logger }, flags);
    const files = readdirSync(dist, { recursive: true }).map(String);
    const folders = files.filter((file) => basename(file) === 'index.html').map(dirname);
    const history = join(dist, '_articles/paths.jsonl');
    const output = {
      pages: new Map(
        folders.map((path) => [path, readFileSync(join(dist, path, 'index.html'), 'utf8')]),
      ),
      history: existsSync(history) ? readFileSync(history, 'utf8') : '',
      due: new Map(),
    };
    rmSync(dist, { recursive: true });
    return output;
  }

  /** Loads the articles into the mirror, as `astro sync` in another process does. Its store is not kept. */
  async sync(project: Project, accident?: Accident): Promise<void> {
    const root = pathToFileURL(`${this.otherRoot}/`);
    const context = await this.openContext('build', root);
    const undo = this.#setVariables();
    try {
      // Its lines are not those of a load that it overtakes.
      const logger = collectLines([]);
      await articlesLoader(this.optionsFor(project, accident)).load({ ...context, logger });
    } finally {
      undo();
      this.exitProcess(root);
    }
  }

  loseCache(): void {
    rmSync(this.cache, { recursive: true, force: true });
    this.memory = emptyMemory();
  }

  saveCache(): void {
    const folder = mkdtempSync(join(this.root, 'backup-'));
    // A cache that is lost is an empty one.
    mkdirSync(this.cache, { recursive: true });
    cpSync(this.cache, folder, { recursive: true, preserveTimestamps: true });
    this.backups.push({ folder, memory: structuredClone(this.memory) });
  }

  /** @param isCheckout whether the files have the time of now, as those of a repository */
  restoreCache(back: number, isCheckout: boolean): boolean {
    const backup = this.backups.at(-1 - (back % Math.max(1, this.backups.length)));
    if (!backup) return false;
    rmSync(this.cache, { recursive: true, force: true });
    cpSync(backup.folder, this.cache, { recursive: true, preserveTimestamps: !isCheckout });
    this.memory = structuredClone(backup.memory);
    return true;
  }

  /** Corrupts a file of the cache, as a cut transfer or a power cut does. */
  corrupt(nth: number, how: (typeof corruptions)[number]): boolean {
    const names = existsSync(this.cache) ? readdirSync(this.cache, { recursive: true }) : [];
    const own = names.map(String).filter((name) => !this.memory.foreign.has(name));
    const files = own
      .map((name) => ({ name, path: join(this.cache, name), ...statSync(join(this.cache, name)) }))
      .filter(({ path }) => statSync(path).isFile())
      // Names contain hashes of the time.
      .toSorted((a, b) => a.size - b.size);
    const file = files[nth % Math.max(1, files.length)];
    if (!file) return false;
    const { name, path, size } = file;
    const bytes = readFileSync(path);
    const content = {
      cut: bytes.subarray(0, size / 2),
      short: bytes.subarray(0, -1),
      changed: Buffer.concat([bytes.subarray(0, -1), Buffer.from([1])]),
      zeros: Buffer.alloc(size),
      gone: undefined,
    }[how];
    if (content) writeFileSync(path, content);
    else rmSync(path);
    this.memory.isDamaged = true;
    for (const mirror of allMirrors) this.memory.mirror.set(mirror, 'unknown');
    if (name.endsWith('paths.jsonl')) {
      const collection = collectionNames.find((each) => name.includes(`/${each}-`)) ?? 'beiträge';
      for (const mirror of [collection, `${collection} of staging`])
        this.memory.slugs.delete(mirror);
    }
    return true;
  }

  #mirrors(): string[] {
    const parent = join(this.cache, 'astro-articles');
    return existsSync(parent) ? readdirSync(parent) : [];
  }

  /** Notes what other processes, and killed ones, have found to be unlisted. */
  #noteUnlisted(): void {
    this.#isReading = true;
    for (const mirror of this.#mirrors()) {
      const path = join(this.cache, 'astro-articles', mirror, 'index.json');
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      for (const id of Object(parseJson(text)).index?.unlisted ?? []) this.unlisted.add(id);
    }
    this.#isReading = false;
  }

  /** Puts a file of another program next to the files of each mirror. */
  addForeignFile(name: string): boolean {
    const mirrors = this.#mirrors();
    for (const mirror of mirrors) {
      const path = join('astro-articles', mirror, name);
      const file = join(this.cache, path);
      if (this.memory.foreign.has(path)) continue;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, path);
      this.memory.foreign.set(path, path);
    }
    return mirrors.length > 0;
  }
}

function notFound(): TypeError {
  const cause = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  return new TypeError('fetch failed', { cause });
}

const path = '/api/integrations/project/articles/';

/** Requests the articles of the service as those of another API. */
const translation = translateApi({
  async listRows({ offset, limit }, { get, key }) {
    const { body } = await get<Page | object[]>(`${path}?limit=${limit}&offset=${offset}`, {
      'x-project-api-key': key,
    });
    if (Array.isArray(body)) return { rows: body };
    return { rows: body.results, count: body.count, isEnd: body.next === null };
  },
  async getArticle(id, { get, key }) {
    const headers = { 'x-project-api-key': key };
    return (await get<object>(`${path}${encodeURIComponent(id)}/`, headers)).body;
  },
});

interface Page {
  results: object[];
  count?: number;
  next: string | null;
}

/** The date that `transform` adds to an article. */
export function dateOf(serial: number): Date {
  return new Date(serial * 86_400_000);
}

const contexts = new Map<string, Promise<TestLoaderContext>>();
const template = mkdtempSync(join(temporaryRoot, 'world-template-'));
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
        ...{
          given: z.string().optional(),
          key: z.string(),
          grade: z.string(),
          when: z.string().optional(),
        },
        ...{ edition: z.number().default(edition), rank: z.number().optional() },
      }),
  });
  contexts.set(key, made);
  return made;
}

/** The names of the mirrors that a site may have. */
const allMirrors = ['beiträge', ...collectionNames.flatMap((name) => [name, `${name} of staging`])];

function emptyMemory(): Memory {
  return {
    ...{ mirror: new Map(), stores: {}, shown: new Map(), slugs: new Map() },
    foreign: new Map(),
    isDamaged: false,
  };
}
