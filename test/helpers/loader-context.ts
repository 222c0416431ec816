import { EventEmitter } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AstroConfig, AstroIntegrationLogger } from 'astro';
import { validateConfig } from 'astro/config';
import type { DataStore, LoaderContext, MetaStore } from 'astro/loaders';
import { articleSchema } from '../../src/content/article-schema.ts';
import { loaderName } from '../../src/content/loader.ts';
import { siteAt } from '../../src/content/site-state.ts';
import { hash } from '../../src/shared/hash.ts';

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
}

/** What Astro hands to a loader, and what a test wants to know of it. */
export interface TestLoaderContext extends LoaderContext {
  /** All that was logged, in order. */
  lines: LogLine[];
  /** The folder of the collection's mirror. */
  mirrorFolder: string;
  /** The whole content store as Astro writes it to disk. */
  storeText(): string;
  /** Waits until Astro has written its store. */
  save(): Promise<void>;
}

export interface LoaderContextOptions {
  /** The folder of the site. */
  root: string;
  /** @default 'articles' */
  collection?: string;
  /** @default 'build' */
  command?: 'build' | 'dev';
  /** @default articleSchema */
  schema?: typeof articleSchema;
}

/**
 * Makes the context of one load: Astro's own content store, kept in the site's cache folder between
 * contexts as between builds, its own Markdown and parsing, and our schema.
 */
export async function createLoaderContext({
  root,
  collection = 'articles',
  command = 'build',
  schema = articleSchema,
}: LoaderContextOptions): Promise<TestLoaderContext> {
  const config = await readConfig(root, command);
  siteAt(config.root).handover = {
    options: {},
    mode: command === 'build' ? 'production' : 'development',
    command,
  };
  const { MutableDataStore } = await fromAstro<StoreModule>('content/mutable-data-store.js');
  const store = await MutableDataStore.fromFile(new URL('data-store.json', config.cacheDir));
  const lines: LogLine[] = [];
  // A store of its own for Astro: one that knows the site's import files writes them half a second late.
  const context = await contextOf({
    config,
    store: new MutableDataStore(),
    collection,
    schema,
    logger: collectLines(lines),
    watcher: command === 'dev' ? new EventEmitter() : undefined,
  });

  return {
    ...context,
    store: store.scopedStore(collection),
    meta: store.metaStore(collection),
    lines,
    mirrorFolder: join(fileURLToPath(config.cacheDir), 'astro-articles', collection),
    storeText: () => store.toString(),
    save: () => store.waitUntilSaveComplete(),
  };
}

/**
 * The complete state that a load may change: Astro's store, and each file of the mirror with its
 * hash. Left out are the time of the last sync, and whole objects that no index names: a sync that
 * ends early may leave some, and the next one that ends well takes them away.
 */
export async function snapshot({
  storeText,
  mirrorFolder,
}: TestLoaderContext): Promise<Record<string, string>> {
  const index = await readFile(join(mirrorFolder, 'index.json'), 'utf8').catch(() => '');
  const found = await readdir(mirrorFolder, { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  const state: Record<string, string> = { '(store)': storeText(), '(index)': withoutTime(index) };
  for (const file of found.filter((entry) => entry.isFile()).map(pathOf)) {
    const name = relative(mirrorFolder, file).replaceAll('\\', '/');
    const bytes = await readFile(file);
    const object = name.split('/').at(-1)?.split('.')[0] ?? '';
    const isSpare = object === hash(bytes) && !index.includes(object);
    // What was rendered is filed under all that it was made from: one more or less changes nothing.
    const isState = name !== 'index.json' && !name.startsWith('rendered/');
    if (isState && !isSpare) state[name] = hash(bytes);
  }
  return state;
}

function pathOf({ parentPath, name }: { parentPath: string; name: string }): string {
  return join(parentPath, name);
}

/** The hash in the first line of an index covers the time, too: it is checked here instead. */
function withoutTime(index: string): string {
  const end = index.indexOf('\n');
  const body = index.slice(end + 1);
  const isWhole = index === '' || JSON.parse(index.slice(0, end)).hash === hash(body);
  return isWhole ? body.replace(/"syncedAt":\d+/, '"syncedAt":0') : index;
}

type Command = 'build' | 'dev';
const configs = new Map<string, Promise<AstroConfig>>();

function readConfig(root: string, command: Command): Promise<AstroConfig> {
  const key = `${root} ${command}`;
  const config = configs.get(key) ?? validateConfig({ cacheDir: './cache' }, root, command);
  configs.set(key, config);
  return config;
}

/** Lets Astro's own content layer run a loader that only keeps what it was given. */
async function contextOf({
  config,
  store,
  collection,
  schema,
  logger,
  watcher,
}: {
  config: AstroConfig;
  store: Store;
  collection: string;
  schema: typeof articleSchema;
  logger: AstroIntegrationLogger;
  watcher: EventEmitter | undefined;
}): Promise<LoaderContext> {
  const { ContentLayer } = await fromAstro<LayerModule>('content/content-layer.js');
  const { promise, resolve } = Promise.withResolvers<LoaderContext>();
  const keep = { name: loaderName, load: async (context: LoaderContext) => resolve(context) };
  const collections = {
    [collection]: { type: 'content_layer', schema, loader: keep },
  };
  const layer = new ContentLayer({
    settings: {
      config,
      dotAstroDir: new URL('.astro/', config.root),
      contentEntryTypes: [],
      dataEntryTypes: [],
    },
    logger: {
      forkIntegrationLogger: (label) => (label === loaderName ? logger : collectLines([])),
    },
    store,
    watcher,
    contentConfigObserver: {
      get: () => ({ status: 'loaded', config: { digest: 'test', collections } }),
    },
  });
  await layer.sync();
  return promise;
}

function collectLines(lines: LogLine[]): AstroIntegrationLogger {
  const log = (level: LogLine['level']) => (message: string) => void lines.push({ level, message });
  const logger: AstroIntegrationLogger = {
    options: { destination: { write: () => undefined }, level: 'debug' },
    label: 'astro-articles',
    fork: () => logger,
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    flush: () => undefined,
    close: () => undefined,
  };
  return logger;
}

interface Store {
  scopedStore(collection: string): DataStore;
  metaStore(collection: string): MetaStore;
  waitUntilSaveComplete(): Promise<void>;
  toString(): string;
}

interface StoreModule {
  MutableDataStore: { new (): Store; fromFile(path: URL): Promise<Store> };
}

interface LayerModule {
  ContentLayer: new (parts: {
    settings: {
      config: AstroConfig;
      dotAstroDir: URL;
      contentEntryTypes: never[];
      dataEntryTypes: never[];
    };
    logger: { forkIntegrationLogger(label: string): AstroIntegrationLogger };
    store: Store;
    watcher: EventEmitter | undefined;
    contentConfigObserver: { get(): object };
  }) => { sync(): Promise<void> };
}

/** Imports a module that Astro's `exports` do not name. */
function fromAstro<M>(path: string): Promise<M> {
  const home = fileURLToPath(import.meta.resolve('astro/package.json'));
  return import(pathToFileURL(join(home, '..', 'dist', path)).href);
}
