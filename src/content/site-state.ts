import type { LoaderContext } from 'astro/loaders';
import type { SlugHistory } from '../mirror/index-file.ts';
import type { ArticlesOptions } from '../options/options.ts';
import type { LoadReport } from '../report/load-report.ts';

/** The settings that the integration passes to the loaders of a site. */
export interface IntegrationSettings {
  options: ArticlesOptions;
  /** Vite's mode. Astro does not pass it to loaders. */
  mode: string;
  /** The folder of the .env files, when it is not the site's root. */
  envDir?: string | undefined;
  command: 'build' | 'dev';
  /** Whether the site gets redirects from former slugs. */
  redirects: boolean;
}

/** The state that the integration and the loaders of a site share. */
interface SiteState {
  /** Absent when the site has no integration. */
  integration?: IntegrationSettings;
  /** The API keys that loaders used. The integration searches the build output for them. */
  keys: Set<string>;
  /** The number of loads that were started. */
  loads: number;
  /** The report of each collection's last load. */
  reports: Map<string, LoadReport>;
  /**
   * By collection of a dev server: reads the listing, and returns its digest. Returns undefined when articles
   * may change without a change in the listing.
   */
  listings: Map<string, (signal: AbortSignal) => Promise<string | undefined>>;
  /** For each collection whose texts are in the mirror: the function that reads one. */
  bodies: Map<string, BodyReader>;
  /** How often one of these functions was called. */
  bodyReads: number;
  /** By collection: the slugs of its articles, current and former. */
  slugs: Map<string, CollectionSlugs>;
}

/** The slugs of a collection's articles, current and former. */
export interface CollectionSlugs {
  /** The shown articles, each with its current and its former slugs. */
  articles: { slug: string; former: readonly string[] }[];
  history: SlugHistory;
}

export type RenderedContent = Awaited<ReturnType<LoaderContext['renderMarkdown']>>;

/** Reads the text of an entry; undefined when this site does not have that version of the entry. */
export type BodyReader = (entry: {
  id: string;
  digest?: string | number | undefined;
}) => Promise<{ body: string; rendered: RenderedContent } | undefined>;

const key = Symbol.for('astro-articles.sites');

/**
 * Returns the state of the site with this root. The state is in a global variable, because Vite bundles the
 * content config, so the integration and the loader run in two copies of this module.
 */
export function siteAt(root: URL): SiteState {
  const known = sites().get(root.href);
  if (known) return known;
  const site: SiteState = {
    keys: new Set(),
    loads: 0,
    reports: new Map(),
    listings: new Map(),
    bodies: new Map(),
    bodyReads: 0,
    slugs: new Map(),
  };
  sites().set(root.href, site);
  return site;
}

/** Removes the state of a collection that the site no longer has. */
export function forgetCollection(root: URL, name: string): void {
  const { reports, listings, bodies, slugs } = siteAt(root);
  for (const parts of [reports, listings, bodies, slugs]) parts.delete(name);
}

/**
 * Returns the readers of a collection's texts: one for each site of this process that has a collection of
 * this name.
 */
export function bodyReaders(collection: string): BodyReader[] {
  return [...sites().values()].flatMap(({ bodies }) => bodies.get(collection) ?? []);
}

function sites(): Map<string, SiteState> {
  const holder = globalThis as { [key]?: Map<string, SiteState> };
  holder[key] ??= new Map();
  return holder[key];
}
