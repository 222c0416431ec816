import { fileURLToPath } from 'node:url';
import type { AstroConfig } from 'astro';
import type { LoaderContext } from 'astro/loaders';
import type { KeyedEntry } from '../entry/digest.ts';
import type { Redact } from '../errors.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ArticlesOptions } from '../options/options.ts';
import type { PathHistory } from '../redirects/history.ts';
import type { LoadReport } from '../report/load-report.ts';

/** The name of the loader for Astro, and for `refreshContent()`. */
export const loaderName = 'astro-articles';

/** The settings that the integration passes to the loaders of a site. */
export interface IntegrationSettings {
  options: ArticlesOptions;
  /** Whether former URLs are redirected. */
  redirects: boolean;
  /**
   * The history of paths that the site has published. The first load of a build or of `astro sync` requests it, unless it is
   * offline.
   */
  published?: Promise<PathHistory>;
  /** Vite's mode. Astro does not pass it to loaders. */
  mode: string;
  /** The folder of the .env files, when it is not the site's root. */
  envDir?: string | undefined;
}

/** Inputs of a fingerprint, each one a line with its hash and its name. */
export interface SiteInputs {
  /** The config with which they were read. */
  config: AstroConfig;
  /** The settings and packages that all renderings use. */
  settings: readonly string[];
  /** The site's code. */
  code: readonly string[];
  /** The site's code as this process first read it, because Astro keeps the Markdown plugins that it started with. */
  firstCode: readonly string[];
}

/** The state that the integration and the loaders of a site share. */
export class SiteState {
  /** Absent when the site has no integration. */
  integration?: IntegrationSettings;
  /** The inputs of the last fingerprint. */
  inputs?: SiteInputs;
  /** The API keys that loaders used. The integration searches the build output for them. */
  readonly keys = new Set<string>();
  /** Removes these keys from a text. */
  redact: Redact = (text) => text;
  /** The number of loads that Astro has started. */
  loads = 0;
  /** Stops the dev server. A change of astro.config starts another server, with another integration. */
  stopServer = () => {};
  /** The report of each collection's last load. */
  readonly reports = new Map<string, LoadReport>();
  /** By collection whose load was started: loads it again, and prints nothing if nothing has changed. */
  readonly reloads = new Map<string, () => Promise<void>>();
  /** By collection: the readers of its last two loads, the newest first. Empty if its texts are in the content store. */
  readonly bodies = new Map<string, readonly BodyReader[]>();
  /** By collection: the slugs of the articles that its last load shows. */
  readonly slugs = new Map<string, ShownSlugs>();
}

/** The slugs of the articles that a load shows. */
export interface ShownSlugs {
  /** By id. */
  current: ReadonlyMap<string, string>;
  /** Ids of articles that the service no longer has. Only the mirror keeps their paths, and nothing of them is published. */
  gone: ReadonlySet<string>;
  /** Whether the option `newest` is set, so that older articles are rendered on demand. */
  isNewestOnly: boolean;
  /** Whether the load includes drafts, so that the site is a preview. */
  isPreview: boolean;
  /** The history of paths, with what the site has published, and with articles that are gone. */
  paths: PathHistory;
  mirror: Pick<Mirror, 'writePaths'>;
}

export type RenderedContent = Awaited<ReturnType<LoaderContext['renderMarkdown']>>;

/** Reads the texts of the entries of one load. */
export interface BodyReader {
  /** Reads the text of an entry; undefined when the load does not have that version of the entry. */
  read(
    entry: Pick<KeyedEntry, 'id' | 'digest'>,
  ): Promise<{ body: string; rendered: RenderedContent } | undefined>;
  /** Closes its files, when no page can need them any more. */
  close(): void;
}

// The state is in a global variable, because Vite bundles the content config, so the integration and the loader run in
// two copies of this module.
const key = Symbol.for('astro-articles.sites');
const holder = globalThis as { [key]?: Map<string, SiteState> };
holder[key] ??= new Map();
const sites = holder[key];

/** Returns the state of the site with this root. */
export function siteAt(root: URL): SiteState {
  const site = sites.get(root.href) ?? new SiteState();
  sites.set(root.href, site);
  return site;
}

/** Returns the folder of the site's .env files, and Vite's mode, which selects `.env.[mode]`. */
export function environmentPlace(root: URL): { folder: string; mode: string } {
  const { integration } = siteAt(root);
  const { mode = 'production', envDir = fileURLToPath(root) } = integration ?? {};
  return { folder: envDir, mode };
}

/**
 * Returns the names of the collections whose loads have started, sorted; undefined where no load can have started, as in the server
 * of a built site.
 */
export function collectionNames(): string[] | undefined {
  if (sites.size === 0) return undefined;
  return [...sites.values()].flatMap(({ reloads }) => [...reloads.keys()]).sort();
}

/** Returns the readers of a collection's texts, in all sites of this process that have a collection of this name. */
export function bodyReaders(collection: string): BodyReader[] {
  return [...sites.values()].flatMap(({ bodies }) => bodies.get(collection) ?? []);
}
