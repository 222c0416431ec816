import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AstroConfig, AstroIntegrationLogger, AstroUserConfig } from 'astro';
import { validateConfig } from 'astro/config';
import type { SchemaContext } from 'astro/content/config';
import type { DataStore, LoaderContext, MetaStore } from 'astro/loaders';
import type { z } from 'astro/zod';
import { loaderSchema } from '../../src/content/schema.ts';
import { siteAt } from '../../src/content/site-state.ts';

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
}

/** The context that Astro passes to a loader, with more for tests. */
export interface TestLoaderContext extends LoaderContext {
  /** All log lines, in order. */
  lines: LogLine[];
  /** The folder of the site's mirrors, unless `mirrorDir` is set. */
  mirrors: string;
  /** The whole content store as Astro writes it to disk. */
  storeText(): string;
  /** Waits until Astro has written its store. */
  save(): Promise<void>;
}

export type CollectionSchema = (context: SchemaContext) => z.ZodType;

export interface LoaderContextOptions {
  /** The folder of the site. */
  root: string;
  /** @default 'articles' */
  collection?: string;
  /** @default 'build' */
  command?: 'build' | 'dev';
  /** The schema of the collection. @default none, so that of the loader applies */
  schema?: CollectionSchema | undefined;
  /** The schema of the loader. @default that of `articlesLoader()` */
  loaderSchema?: z.ZodType;
  /** The settings below `markdown` in astro.config. */
  markdown?: AstroUserConfig['markdown'];
  /** `image.domains` in astro.config. */
  imageDomains?: string[];
  /** Whether Astro's store is kept in memory only. @default false */
  inMemory?: boolean;
  /** Whether loaders of files can read Markdown. @default false */
  readsFiles?: boolean;
}

/**
 * Creates the context of one load: Astro's own content store, which persists in the site's cache
 * folder between contexts as it does between builds, and Astro's own Markdown and parsing.
 */
export async function createLoaderContext(
  options: LoaderContextOptions,
): Promise<TestLoaderContext> {
  const { root, collection = 'articles', command = 'build', markdown, inMemory } = options;
  const { imageDomains = [] } = options;
  const config = await readConfig(root, command, { markdown, image: { domains: imageDomains } });
  // Each build is a process of its own.
  if (command === 'build') delete siteAt(config.root).inputs;
  const MutableDataStore = await storeClass();
  const file = new URL('data-store.json', config.cacheDir);
  const store = inMemory ? new MutableDataStore() : await MutableDataStore.fromFile(file);
  const lines: LogLine[] = [];
  const context = await contextOf(config, options, collectLines(lines));
  if (!markdown) renderMarkdown ??= context.renderMarkdown;
  return {
    ...context,
    renderMarkdown: (!markdown && renderMarkdown) || context.renderMarkdown,
    store: store.scopedStore(collection),
    meta: store.metaStore(collection),
    lines,
    mirrors: join(fileURLToPath(config.cacheDir), 'astro-articles'),
    storeText: () => store.toString(),
    save: () => store.waitUntilSaveComplete(),
  };
}

/** Opens Astro's store in memory, with the content of an earlier one. */
export async function openStore(text?: string): Promise<Store> {
  const MutableDataStore = await storeClass();
  return text === undefined ? new MutableDataStore() : MutableDataStore.fromString(text);
}

/** Shared by all contexts with Astro's default settings, because Astro takes 150 ms to create one. */
let renderMarkdown: LoaderContext['renderMarkdown'] | undefined;

type Command = 'build' | 'dev';
const configs = new Map<string, Promise<AstroConfig>>();

function readConfig(
  root: string,
  command: Command,
  { markdown, image }: { markdown: AstroUserConfig['markdown']; image: AstroUserConfig['image'] },
): Promise<AstroConfig> {
  if (markdown) return validateConfig({ cacheDir: './cache', markdown, image }, root, command);
  const key = JSON.stringify([root, command, image]);
  const config = configs.get(key) ?? validateConfig({ cacheDir: './cache', image }, root, command);
  configs.set(key, config);
  return config;
}

const loaderName = 'astro-articles';

let syncs = Promise.resolve();

/** Lets Astro's own content layer run a loader that only keeps its context. */
async function contextOf(
  config: AstroConfig,
  {
    collection = 'articles',
    command,
    schema,
    loaderSchema: ofLoader = loaderSchema,
    readsFiles,
  }: LoaderContextOptions,
  logger: AstroIntegrationLogger,
): Promise<LoaderContext> {
  const { ContentLayer } = await fromAstro<LayerModule>('content/content-layer.js');
  const MutableDataStore = await storeClass();
  const { promise, resolve } = Promise.withResolvers<LoaderContext>();
  const load = async (context: LoaderContext) => resolve(context);
  const keep = { name: loaderName, load, schema: ofLoader };
  const collections = {
    [collection]: { type: 'content_layer', schema, loader: keep },
  };
  const layer = new ContentLayer({
    settings: {
      config,
      dotAstroDir: new URL('.astro/', config.root),
      contentEntryTypes: readsFiles ? [await markdownEntryType()] : [],
      dataEntryTypes: [],
    },
    logger: {
      forkIntegrationLogger: (label: string) => (label === loaderName ? logger : collectLines([])),
    },
    // A store of its own: one that knows the site's import files would write them 500 ms later.
    store: new MutableDataStore(),
    watcher: command === 'dev' ? new EventEmitter() : undefined,
    contentConfigObserver: {
      get: () => ({ status: 'loaded', config: { digest: 'test', collections } }),
    },
  });
  // Astro writes files of the site here, and fails when two of these calls do so at the same time.
  syncs = syncs.then(() => layer.sync());
  await syncs;
  return promise;
}

async function markdownEntryType(): Promise<object> {
  const path = 'vite-plugin-markdown/content-entry-type.js';
  return (await fromAstro<{ markdownContentEntryType: object }>(path)).markdownContentEntryType;
}

export function collectLines(lines: LogLine[]): AstroIntegrationLogger {
  const log = (level: LogLine['level']) => (message: string) => void lines.push({ level, message });
  const logger: AstroIntegrationLogger = {
    options: { destination: { write: () => undefined }, level: 'debug' },
    label: loaderName,
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

export interface Store {
  scopedStore(collection: string): DataStore;
  metaStore(collection: string): MetaStore;
  waitUntilSaveComplete(): Promise<void>;
  toString(): string;
}

interface StoreModule {
  MutableDataStore: {
    new (): Store;
    fromFile(path: URL): Promise<Store>;
    fromString(text: string): Promise<Store>;
  };
}

interface LayerModule {
  ContentLayer: new (parts: object) => { sync(): Promise<void> };
}

async function storeClass(): Promise<StoreModule['MutableDataStore']> {
  return (await fromAstro<StoreModule>('content/mutable-data-store.js')).MutableDataStore;
}

/** Imports a module that is not in Astro's `exports`. */
function fromAstro<M>(path: string): Promise<M> {
  const home = fileURLToPath(import.meta.resolve('astro/package.json'));
  return import(pathToFileURL(join(home, '..', 'dist', path)).href);
}
