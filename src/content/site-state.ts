import type { LoaderContext } from 'astro/loaders';
import type { ArticlesOptions } from '../options/options.ts';
import type { LoadReport } from '../report/load-report.ts';
import type { SyncProgress } from '../sync/sync.ts';

/** What the integration hands to the loaders of a site. */
export interface Handover {
  options: ArticlesOptions;
  /** Vite's mode, which a loader is not told. */
  mode: string;
  /** Where Vite looks for .env files; the site's root unless it was told otherwise. */
  envDir?: string | undefined;
  command: 'build' | 'dev';
}

interface Site {
  handover?: Handover;
  /** The keys that loaders used, for the integration to look for in the output. */
  keys: Set<string>;
  /** How often a loader began to load. */
  loads: number;
  /** Told how far a load is, while somebody looks. */
  onProgress?: (progress: SyncProgress) => void;
  /** By collection, how its last load went. */
  reports: Map<string, LoadReport>;
  /**
   * By collection of a dev server, asks the service for a name of what it lists: see `nameListing()`.
   * There is none when its articles may change without a trace in the listing.
   */
  listings: Map<string, (signal: AbortSignal) => Promise<string | undefined>>;
  /** By collection, how to find one of its articles. */
  finders: Map<string, Finder>;
  /** By collection, how to read a text that is not in Astro's store. */
  bodies: Map<string, BodyReader>;
}

/** Finds the article that an id or a slug names. */
export type Finder = (name: string) => Promise<FoundArticle | undefined>;

export interface FoundArticle {
  id: string;
  title: string;
  digest: string;
  cover: boolean;
  words: number | undefined;
  /** The article as the mirror has it. */
  read(): Promise<unknown>;
}

export type RenderedContent = Awaited<ReturnType<LoaderContext['renderMarkdown']>>;

/** Reads what belongs to an entry, while it is kept. */
export type BodyReader = (entry: {
  digest?: string | number | undefined;
}) => Promise<{ body: string; rendered: RenderedContent } | undefined>;

const key = Symbol.for('astro-articles.sites');

/**
 * Integration and loader live in two copies of this module whenever Vite bundles the content config,
 * so module state does not reach across; a registered symbol does. Sites are told apart by root.
 */
export function siteAt(root: URL): Site {
  const known = sites().get(root.href);
  if (known) return known;
  const site: Site = {
    keys: new Set(),
    loads: 0,
    reports: new Map(),
    listings: new Map(),
    finders: new Map(),
    bodies: new Map(),
  };
  sites().set(root.href, site);
  return site;
}

/** Forgets what loads of a collection left. */
export function forgetCollection(root: URL, name: string): void {
  const { reports, listings, finders, bodies } = siteAt(root);
  for (const left of [reports, listings, finders, bodies]) left.delete(name);
}

/** How to read the texts of a collection: one way for each site of this process that has it. */
export function bodyReaders(collection: string): BodyReader[] {
  return [...sites().values()].flatMap(({ bodies }) => bodies.get(collection) ?? []);
}

function sites(): Map<string, Site> {
  const holder = globalThis as { [key]?: Map<string, Site> };
  holder[key] ??= new Map();
  return holder[key];
}
