import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoaderContext } from 'astro/loaders';
import pLimit from 'p-limit';
import { ArticlesOptionsError } from '../errors.ts';
import { createRedactLines } from '../http/api-key.ts';
import type { Load } from '../load/load.ts';
import type { OpenedLoad } from '../load/load-collection.ts';
import { quote } from '../messages.ts';
import { openMirror } from '../mirror/mirror.ts';
import { type Environment, readEnvironment } from '../options/environment.ts';
import type { ArticlesOptions } from '../options/options.ts';
import { resolveOptions } from '../options/resolve-options.ts';
import { joinHistories, type PathHistory } from '../redirects/history.ts';
import { ofCollection, readPublished } from '../redirects/published.ts';
import { hasMarkdownPlugins } from '../render/markdown-settings.ts';
import { createSiteRenderer } from '../render/render-article.ts';
import { hash } from '../shared/hash.ts';
import { inputLine, siteFingerprint } from './fingerprint.ts';
import { findPackages } from './installed-packages.ts';
import { astroCollection } from './loader-context.ts';
import { environmentPlace, type SiteState } from './site-state.ts';

/** The inputs of a load besides the service, one a line. After a change, all articles are rendered or requested again. */
export type LoadInputs = Record<'rendered' | 'requested', string>;

/** Resolves the options of a load, opens its mirror and creates its renderer. */
export async function openLoad(
  context: LoaderContext,
  loaderOptions: ArticlesOptions,
  { site, onProgress }: Pick<Load, 'onProgress'> & { site: SiteState },
) {
  const { config, collection } = context;
  const environment = readEnvironment(environmentPlace(config.root));
  const packages = findPackages(config);
  const options = resolveOptions({
    loader: loaderOptions,
    integration: site.integration?.options ?? {},
    environment: environment.variables,
    command: context.watcher ? 'dev' : 'build',
  });
  if (options.apiKey) site.keys.add(options.apiKey);
  site.redact = createRedactLines(site.keys);
  const { mirrorDir, sanitize, links, images, baseUrl, format } = options;
  const cacheFolder = join(fileURLToPath(config.cacheDir), 'astro-articles');
  const parent = mirrorDir === undefined ? cacheFolder : mirrorsFolder(mirrorDir, config);
  const published = await publishedHistory(context, options.offline, environment, site);
  const mirror = openMirror({ parent, collection, baseUrl });

  const shaping = { sanitize, links, body: images.body, baseUrl, format };
  // A dev server runs the `fetch` of each load's code.
  const readsAgain = Boolean(context.watcher && options.fetch);
  const fingerprint = siteFingerprint(config, shaping, { environment, packages, readsAgain });
  const requested = [
    inputLine('the option `rows`', options.rows),
    inputLine('the option `fetch`', options.fetch !== undefined),
    ...(options.fetch ? fingerprint.code : []),
  ].join('\n');
  const renderText = createSiteRenderer((markdown, name) => {
    // As `filePath` of the entry. Starlight processes only Markdown whose file is in certain folders, and other
    // plugins distinguish articles by their files. A slug is safe in the arguments of programs, such as git.
    const fileURL = new URL(`content/${collection}/${name}.md`, config.srcDir);
    return context.renderMarkdown(markdown, { fileURL });
  });
  const extractImages = images.body === 'local';
  const settings = { base: new URL(baseUrl), links, sanitize, format, extractImages };

  const opened: OpenedLoad = {
    collection,
    mirror,
    options,
    renderer: {
      render: (article) => renderText(article, settings),
      queue: pLimit(hasMarkdownPlugins(config.markdown) ? Number.POSITIVE_INFINITY : 1),
      fingerprint: fingerprint.rendering,
      isReusable: !process.argv.includes('--force'),
    },
    astro: astroCollection(context, options, mirror.imageFolder, fingerprint.entries),
    imageHosts: config.image.domains,
    astroSharp: packages.oldestSharp,
    sourceHash: hash(requested).slice(0, 8),
    before: new Map(mirror.index.articles.map((article) => [article.id, article])),
    paths: joinHistories(mirror.paths, published),
    unlisted: new Set(mirror.index.unlisted),
    gone: new Set(mirror.index.gone),
    onProgress,
  };
  const inputs: LoadInputs = { rendered: fingerprint.inputs, requested };
  return { opened, fingerprint, inputs };
}

/** Returns the history of paths that the site has published of a collection, with one request for all collections. */
async function publishedHistory(
  { config, collection, watcher, logger }: LoaderContext,
  isOffline: boolean,
  { variables: { ARTICLES_REDIRECTS } }: Environment,
  { integration }: SiteState,
): Promise<PathHistory> {
  if (!integration || isOffline || watcher) return new Map();
  const isBestEffort = !integration.redirects || ARTICLES_REDIRECTS?.trim() === 'best-effort';
  integration.published ??= readPublished(config, { isBestEffort, logger });
  return ofCollection(await integration.published, collection);
}

/** @throws {ArticlesOptionsError} for a folder that Astro publishes or empties */
function mirrorsFolder(
  mirrorDir: string,
  { root, srcDir, publicDir, outDir }: LoaderContext['config'],
): string {
  const folder = resolve(fileURLToPath(root), mirrorDir);
  const isIn = (url: URL) => {
    const path = relative(fileURLToPath(url), folder);
    // On Windows, the path to another drive is absolute.
    return !isAbsolute(path) && path.split(sep)[0] !== '..';
  };
  let reason: string | undefined;
  if (isIn(new URL('content/', srcDir))) reason = 'a folder of content, which Astro reads';
  if (isIn(publicDir)) reason = '`publicDir`, so drafts would be published with the site';
  if (isIn(outDir)) reason = '`outDir`, which each build empties';
  if (!reason) return folder;
  const message = `\`mirrorDir\`: ${quote(mirrorDir)} is in ${reason}.`;
  const hint = "Set it to another folder, such as 'articles-mirror'.";
  throw new ArticlesOptionsError('invalid-options', message, { hint });
}
