import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoaderContext } from 'astro/loaders';
import { isLoopback } from '../client/urls.ts';
import { ArticlesOptionsError, quote } from '../errors.ts';
import { openMirror } from '../mirror/mirror.ts';
import { readEnvironment } from '../options/environment.ts';
import type { ArticlesOptions, ResolvedOptions } from '../options/options.ts';
import { plainHttpWarning, resolveOptions } from '../options/resolve-options.ts';
import { hasMarkdownPlugins } from '../render/markdown-settings.ts';
import type { Warning } from '../shared/logger.ts';
import type { LoadOptions } from '../sync/pipeline.ts';
import { createRenderer } from '../sync/renderer.ts';
import { createTransform } from '../sync/transform.ts';
import { renderFingerprint } from './render-fingerprint.ts';
import { siteAt } from './site-state.ts';

/** Resolves the options of a load, opens its mirror and creates its renderer. */
export async function openLoad(
  context: LoaderContext,
  loaderOptions: ArticlesOptions,
): Promise<LoadOptions & { warnings: Warning[] }> {
  const { config, collection } = context;
  const options = optionsFor(context, loaderOptions);
  const cacheDir = fileURLToPath(config.cacheDir);
  const cacheFolder = join(cacheDir, 'astro-articles');
  const { mirrorDir } = options;
  const mirror = await openMirror({
    parent: mirrorDir === undefined ? cacheFolder : mirrorsFolder(mirrorDir, config),
    collection,
    source: options.baseUrl,
    project: options.project,
    cacheFolder,
  });

  // Starlight processes only Markdown whose file is in certain folders. The name is the same for all
  // articles, because plugins pass it to other programs, such as git.
  const fileURL = new URL(`content/${collection}/article.md`, config.srcDir);
  const render = (markdown: string) => context.renderMarkdown(markdown, { fileURL });
  const { fingerprint, isCertain } = await renderFingerprint(config, options);
  const renderer = createRenderer({
    mirror,
    fingerprint,
    isCertain,
    processor: { render, keepInfoStrings: hasMarkdownPlugins(config.markdown) },
    settings: {
      base: new URL(options.baseUrl),
      links: options.links,
      sanitize: options.sanitize,
      extractImages: options.images.body === 'local',
    },
  });
  const transform = options.transform && createTransform(options.transform, collection);
  const notices = [mirror.notice, plainHttpWarning(options.baseUrl)];
  const warnings = notices.flatMap((text) => (text ? [{ kind: 'other' as const, text }] : []));
  return { mirror, options, renderer, transform, warnings };
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

function optionsFor({ config, watcher }: LoaderContext, loader: ArticlesOptions): ResolvedOptions {
  const { integration, keys, localServices } = siteAt(config.root);
  const command = integration?.command ?? (watcher ? 'dev' : 'build');
  const mode = integration?.mode ?? (command === 'dev' ? 'development' : 'production');
  const folder = integration?.envDir ?? fileURLToPath(config.root);
  const environment = readEnvironment({ folder, mode });
  const options = resolveOptions({
    loader,
    integration: integration?.options ?? {},
    environment,
    command,
  });
  if (options.apiKey) keys.add(options.apiKey);
  const { origin, hostname } = new URL(options.baseUrl);
  if (isLoopback(hostname)) localServices.add(origin);
  return options;
}
