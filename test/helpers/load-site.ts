import { dirname, resolve } from 'node:path';
import type { DataStore } from 'astro/loaders';
import type { FixtureService } from '../../fixtures/service.ts';
import { articlesLoader } from '../../src/content/articles-loader.ts';
import type { Notice } from '../../src/errors.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { hash } from '../../src/shared/hash.ts';
import {
  createLoaderContext,
  type LoaderContextOptions,
  type TestLoaderContext,
} from './loader-context.ts';
import { filesIn, timelessIndex } from './mirror-folder.ts';

// This module does not import Vitest, because programs in other processes use it, too.

export type Entry = ReturnType<DataStore['values']>[number];

/** The error that a load failed with. */
export interface LoadFailure extends Error {
  code?: string;
  hint?: string;
  status?: number;
  path?: string;
  notices?: readonly Notice[];
}

/** The result of one load. */
export interface Load {
  context: TestLoaderContext;
  failure: LoadFailure | undefined;
  /** The entries of the collection, by id. */
  entries: ReadonlyMap<string, Entry>;
  /** The ids of the entries that were written to Astro's store. */
  written: string[];
  warnings: string[];
  /** All log lines. */
  log: string;
}

export type LoadMore = Partial<LoaderContextOptions> & {
  /** Changes the context, for example to count what the loader does with it. */
  adapt?: (context: TestLoaderContext) => TestLoaderContext;
  /** Environment variables during the load. */
  env?: Readonly<Record<string, string>>;
};

/** Loads from the mirror, without any request. */
export const offline = { env: { ARTICLES_OFFLINE: '1' } } satisfies LoadMore;
/** Accepts that most articles disappear. */
export const allowRemoval = { env: { ARTICLES_ALLOW_REMOVAL: '1' } } satisfies LoadMore;

/** Loads the collection of a site once. */
export async function loadSite(
  { adapt = (context) => context, env = {}, ...where }: LoaderContextOptions & LoadMore,
  options: ArticlesOptions,
): Promise<Load> {
  const loader = articlesLoader(options);
  const context = await createLoaderContext({ loaderSchema: loader.schema, ...where });
  const { lines, store } = context;
  const { set } = store;
  const written: string[] = [];
  store.set = (entry) => {
    written.push(entry.id);
    return set(entry);
  };
  const undo = setVariables(env);
  const failure = await loader.load(adapt(context)).then(
    () => undefined,
    (error: LoadFailure) => error,
  );
  undo();
  await context.save();
  return {
    context,
    failure,
    entries: new Map(store.values().map((entry) => [entry.id, entry])),
    written,
    warnings: lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
    log: lines.map(({ message }) => message).join('\n'),
  };
}

/** Sets environment variables, and returns a function that restores them. */
export function setVariables(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

/**
 * Returns everything that a load may change: Astro's store, and each file of the site's mirrors as a
 * hash. The time of the last load is left out, and so are files that no index contains: a load that
 * fails may leave some, and a later one removes them.
 */
export async function siteState({
  mirrors,
  storeText,
}: TestLoaderContext): Promise<Record<string, string>> {
  const state: Record<string, string> = { '(store)': storeText() };
  const texts = await filesIn(mirrors);
  const indexes = [...texts].flatMap(([name, text]) => (name.endsWith('index.json') ? text : []));
  for (const [name, text] of texts) {
    const object = name.split('/').at(-1)?.split('.')[0] ?? '';
    if (name.endsWith('index.json')) state[name] = timelessIndex(text);
    else if (indexes.some((index) => index.includes(object))) state[name] = hash(text);
  }
  return state;
}

export interface ShownArticle {
  id: string;
  title: unknown;
  body: unknown;
}

/** Returns the articles of a collection. */
export function shownIn({ entries }: Load): ShownArticle[] {
  const all = Array.from(entries.values(), ({ id, data: { title }, body }) => ({
    id,
    title,
    body,
  }));
  return all.toSorted(byId);
}

/** Returns the articles of the service as the collection should have them. */
export function servedBy({ articles }: FixtureService): ShownArticle[] {
  return articles
    .map(({ id, title, content: body }) => ({ id: String(id), title, body }))
    .toSorted(byId);
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

/** Returns the files that Astro imports for an entry, as absolute paths. */
export function importedFiles(root: string, { assetImports = [], filePath = '' }: Entry): string[] {
  return assetImports.map((path) => resolve(root, dirname(filePath), path));
}
