import type { LoaderContext } from 'astro/loaders';
import { createPageSharing, type SharePage } from '../client/listing/share-pages.ts';
import type { Mirror } from '../mirror/mirror.ts';
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
}

/** The state that the integration and the loaders of a site share. */
interface SiteState {
  /** Absent when the site has no integration. */
  integration?: IntegrationSettings;
  /** The API keys that loaders used. The integration searches the build output for them. */
  keys: Set<string>;
  /** The origins of services on this machine that loaders used. */
  localServices: Set<string>;
  /** The names of the collections whose loads were started. */
  collections: Set<string>;
  /** The number of loads that were started. */
  loads: number;
  /** Shares the requests of collections that read the same listing. */
  sharePage: SharePage;
  /** The report of each collection's last load. */
  reports: Map<string, LoadReport>;
  /** By collection of a dev server: loads it again, and prints nothing if nothing has changed. */
  reloads: Map<string, () => Promise<void>>;
  /** For each collection whose texts are in the mirror: the reader of the last load and, in dev, of an earlier one. */
  bodies: Map<string, readonly BodyReader[]>;
  /** How often one of these functions was called. */
  bodyReads: number;
  /** By collection: the slugs of the articles that its last load shows. */
  slugs: Map<string, ShownSlugs>;
  /** By collection of a dev server with `editUrl`: the URLs at which its articles are edited. */
  editUrls: Map<string, EditUrls>;
}

/** The URLs at which the articles of a collection are edited in the service. */
export interface EditUrls {
  /** By the id of the article. */
  ofArticle(id: string): string | undefined;
  /** By the id of the entry; undefined when it is an entry of another loader. */
  ofEntry(id: string): string | undefined;
}

/** The slugs of the articles that a load shows. */
export interface ShownSlugs {
  /** By id. */
  current: ReadonlyMap<string, string>;
  /** Ids of drafts, whose slugs are not public. */
  drafts: ReadonlySet<string>;
  /**
   * With `newest`: whether the service may still have an article that the load does not have. Its slugs are then
   * kept, and its page is rendered on demand.
   */
  mayExist?: ((id: string) => boolean) | undefined;
  /** Whether the load includes drafts, so that the site is a preview. */
  isPreview: boolean;
  /** Whether no request may be made. */
  isOffline: boolean;
  mirror: Pick<Mirror, 'addSlugs' | 'slugs'>;
}

export type RenderedContent = Awaited<ReturnType<LoaderContext['renderMarkdown']>>;

/** Reads the text of an entry; undefined when its load does not have that version of the entry. */
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
    localServices: new Set(),
    collections: new Set(),
    loads: 0,
    sharePage: createPageSharing(),
    reports: new Map(),
    reloads: new Map(),
    bodies: new Map(),
    bodyReads: 0,
    slugs: new Map(),
    editUrls: new Map(),
  };
  sites().set(root.href, site);
  return site;
}

/** Removes the state of a collection that the site no longer has. */
export function forgetCollection(root: URL, name: string): void {
  const { collections, reports, reloads, bodies, slugs, editUrls } = siteAt(root);
  const all = [collections, reports, reloads, bodies, slugs, editUrls];
  for (const parts of all) parts.delete(name);
}

/** Returns the readers of a collection's texts, in all sites of this process that have a collection of this name. */
export function bodyReaders(collection: string): BodyReader[] {
  return [...sites().values()].flatMap(({ bodies }) => bodies.get(collection) ?? []);
}

/** Returns the URL at which the article of an entry is edited; undefined outside of a dev server with `editUrl`. */
export function editUrlOf({ collection, id }: { collection: string; id: string }) {
  for (const { editUrls } of sites().values()) {
    const url = editUrls.get(collection)?.ofEntry(id);
    if (url) return url;
  }
  return undefined;
}

function sites(): Map<string, SiteState> {
  const holder = globalThis as { [key]?: Map<string, SiteState> };
  holder[key] ??= new Map();
  return holder[key];
}
