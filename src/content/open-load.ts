import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoaderContext } from 'astro/loaders';
import { idProblem, isLoopback } from '../client/urls.ts';
import { ArticlesOptionsError, quote } from '../errors.ts';
import { openMirror } from '../mirror/mirror.ts';
import { readEnvironment } from '../options/environment.ts';
import type { ArticlesOptions, ResolvedOptions } from '../options/options.ts';
import { plainHttpWarning, resolveOptions } from '../options/resolve-options.ts';
import { type Addresses, joinAddresses } from '../redirects/history.ts';
import { addressesOf } from '../redirects/published.ts';
import { hasMarkdownPlugins } from '../render/markdown-settings.ts';
import type { Logger } from '../shared/logger.ts';
import type { Notice } from '../shared/notice.ts';
import type { Load } from '../sync/load.ts';
import { createRenderer } from '../sync/renderer.ts';
import { sampleRows } from '../sync/sample.ts';
import { createTransform } from '../sync/transform.ts';
import { changedInput, siteFingerprint } from './fingerprint.ts';
import { environmentPlace, siteAt } from './site-state.ts';

/** A load whose options are resolved and whose mirror is open. */
export interface OpenedLoad extends Omit<Load, 'client' | 'before' | 'call' | 'oldUrls'> {
  /** Whether the files that shape entries are those of the last load, so that unchanged ones need not be parsed again. */
  isSameSchema: boolean;
  /** Records in Astro's store what shapes the entries, after a load. */
  recordSchema(): void;
  /** The name of the record that lists what shapes the entries. */
  inputs: string;
  /** Says why a load has rendered all of its articles again, if it did. */
  reportRendered(count: number): void;
  /** The slugs that builds have published, by the mirror and the published site. */
  addresses: Addresses;
  /** Returns the ids that are only in the addresses of the site, not requested by an earlier load, and not listed. */
  publishedOnly(listed: ReadonlySet<string>): string[];
}

const metaKey = 'inputs';

/** Resolves the options of a load, opens its mirror and creates its renderer. */
export async function openLoad(
  context: LoaderContext,
  loaderOptions: ArticlesOptions,
  { logger, onProgress }: { logger: Logger; onProgress: Load['onProgress'] },
): Promise<OpenedLoad> {
  const { config, collection, meta } = context;
  const options = optionsFor(context, loaderOptions);
  const { mirrorDir } = options;
  const cacheFolder = join(fileURLToPath(config.cacheDir), 'astro-articles');
  const { sample, readPublished } = siteAt(config.root);
  const ownParent = mirrorDir === undefined ? cacheFolder : mirrorsFolder(mirrorDir, config);
  const parent = sample?.folder ?? ownParent;
  const mirror = openMirror({ parent, collection, source: options.baseUrl });

  // Starlight processes only Markdown whose file is in certain folders. The name is the same for all
  // articles, because plugins pass it to other programs, such as git.
  const fileURL = new URL(`content/${collection}/article.md`, config.srcDir);
  const render = (markdown: string) => context.renderMarkdown(markdown, { fileURL });
  const { sanitize, links, images, baseUrl } = options;
  const { folder: envFolder, mode } = environmentPlace(config.root);
  const isDev = context.watcher !== undefined;
  const place = { mirrorFolder: parent, envFolder, mode, isDev };
  const fingerprint = siteFingerprint(
    config,
    { sanitize, links, body: images.body, baseUrl },
    place,
  );
  const { rendering, entries, inputs, isForced, reason } = fingerprint;
  const renderer = createRenderer({
    mirror,
    fingerprint: rendering,
    isReusable: !isForced,
    processor: { render, keepInfoStrings: hasMarkdownPlugins(config.markdown) },
    settings: {
      base: new URL(baseUrl),
      links,
      sanitize,
      extractImages: images.body === 'local',
    },
  });
  const transform = options.transform && createTransform(options.transform, collection);

  const texts = [...mirror.notices, plainHttpWarning(options.baseUrl)];
  const notices = texts.flatMap((text): Notice[] =>
    text ? [{ kind: 'other', ids: [], text }] : [],
  );
  const known = new Set(mirror.index.articles.map(({ id }) => id));
  const read = options.offline || context.watcher || sample ? undefined : readPublished;
  const published = read ? addressesOf(await read(), collection) : new Map();
  const addresses = joinAddresses(mirror.addresses, published);
  // Without an index, no load has requested what only the mirror's addresses contain.
  const settled = mirror.index.syncedAt > 0 ? mirror.addresses : known;
  return {
    mirror,
    options,
    renderer,
    transform,
    imageHosts: config.image.domains,
    sample: sample?.read.get(collection),
    notices,
    onProgress,
    isSameSchema: entries !== undefined && meta.get(metaKey) === entries,
    recordSchema() {
      if (entries) meta.set(metaKey, entries);
      else meta.delete(metaKey);
    },
    inputs: mirror.writeText(inputs),
    reportRendered(count) {
      const before = mirror.index.inputs && mirror.readText(mirror.index.inputs);
      if (known.size === 0 || count === 0 || renderer.rendered() < count) return;
      const changed = before === undefined ? undefined : changedInput(before, inputs);
      const why = reason ?? (changed && `${changed} has changed`);
      if (why) logger.info(`All ${count} articles were rendered again, because ${why}.`);
    },
    addresses,
    publishedOnly: (listed) =>
      [...addresses.keys()].filter(
        (id) => !listed.has(id) && !known.has(id) && !settled.has(id) && !idProblem(id),
      ),
  };
}
/** @throws {ArticlesOptionsError} for a folder that Astro publishes or empties, or whose images it cannot import */
function mirrorsFolder(
  mirrorDir: string,
  { root, publicDir, outDir }: LoaderContext['config'],
): string {
  const folder = resolve(fileURLToPath(root), mirrorDir);
  const isIn = (url: URL) => !/^\.\.(?:[\\/]|$)/.test(relative(fileURLToPath(url), folder));
  let reason: string | undefined;
  if (isIn(publicDir)) reason = 'is in `publicDir`, so drafts would be published with the site';
  else if (isIn(outDir)) reason = 'is in `outDir`, which each build empties';
  else if (/[#?]/.test(mirrorDir)) reason = 'contains `#` or `?`, so Vite cannot import its images';
  if (!reason) return folder;
  throw new ArticlesOptionsError(
    'invalid-options',
    `\`mirrorDir\`: ${quote(mirrorDir)} ${reason}.`,
    {
      hint: "Set it to another folder, such as 'articles-mirror'.",
    },
  );
}

function optionsFor(
  { config, collection, watcher }: LoaderContext,
  loader: ArticlesOptions,
): ResolvedOptions {
  const { integration, keys, localServices, sample } = siteAt(config.root);
  const command = integration?.command ?? (watcher ? 'dev' : 'build');
  const environment = readEnvironment(environmentPlace(config.root));
  const options = resolveOptions({
    loader: { ...loader, ...(sample?.baseUrl && { baseUrl: sample.baseUrl }) },
    integration: integration?.options ?? {},
    environment: { ...environment, ...(sample && { ARTICLES_OFFLINE: '' }) },
    command,
  });
  sample?.read.set(collection, { rows: [], options });
  if (options.apiKey) keys.add(options.apiKey);
  const { origin, hostname } = new URL(options.baseUrl);
  // With `local`, the load has reported each image that stays remote.
  if (isLoopback(hostname) && options.images.body === 'remote') localServices.add(origin);
  return sample ? { ...options, newest: sampleRows(options) } : options;
}
