import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroConfig, AstroIntegrationLogger } from 'astro';
import { siteAt } from '../content/site-state.ts';
import { withOptionPages } from '../documentation.ts';
import { ArticlesError } from '../errors.ts';
import type { ArticlesOptions } from '../options/options.ts';

type Config = Pick<AstroConfig, 'root' | 'image'>;

/**
 * Checks that the site can optimise local images. Astro itself notices only at the end of a build.
 *
 * @throws {ArticlesError} `sharp-missing`
 */
export function checkSharp({ root, image }: Config, { images }: ArticlesOptions): void {
  const usesSharp = image.service.entrypoint === 'astro/assets/services/sharp';
  if (!usesSharp || (images?.covers === 'remote' && images.body !== 'local')) return;
  try {
    createRequire(new URL('package.json', root)).resolve('sharp');
  } catch {
    throw new ArticlesError(
      'sharp-missing',
      `Astro needs the package sharp to optimise covers, and ${fileURLToPath(root)} does not have it.`,
      {
        hint:
          'Install it in the site: `pnpm add sharp`. With package managers that isolate dependencies, ' +
          'such as pnpm, the site cannot use the copy of sharp that Astro has installed.',
      },
    );
  }
}

/** The part of Vite's config that shows where pages are prerendered. */
export interface Prerendering {
  environments?: { prerender?: { resolve: { conditions: readonly string[] } } };
}

/**
 * Checks that pages can read texts that are in the mirror. `@astrojs/cloudflare` prerenders them in workerd, which
 * reads no files.
 *
 * @throws {ArticlesError} `body-missing`
 */
export function checkPrerenderer(root: URL, { environments }: Prerendering): void {
  const isWorkerd = environments?.prerender?.resolve.conditions.includes('workerd');
  const [collection] = siteAt(root).bodies.keys();
  if (!isWorkerd || collection === undefined) return;
  throw new ArticlesError(
    'body-missing',
    `Pages are prerendered in workerd, which cannot read the texts of collection "${collection}" from the mirror.`,
    {
      hint:
        "Set `adapter: cloudflare({ prerenderEnvironment: 'node' })`, or `bodies: 'store'` if all pages of articles " +
        'are rendered on demand.',
    },
  );
}

/** Warns when the site uses the integration, and no collection was loaded. */
export function checkCollections(root: URL, logger: AstroIntegrationLogger): void {
  const hasLiveConfig = ['ts', 'mts', 'js', 'mjs'].some((extension) =>
    existsSync(new URL(`src/live.config.${extension}`, root)),
  );
  if (siteAt(root).loads > 0 || hasLiveConfig) return;
  logger.warn(
    'No collection of this site was loaded from the service. Define one in src/content.config.ts: ' +
      '`defineCollection(articlesCollection())`, with `articlesCollection` from astro-articles.',
  );
}

/** Warns when texts are in the mirror, and no page of a build has read one. */
export function checkBodies(
  { root, experimental }: Pick<AstroConfig, 'root' | 'experimental'>,
  logger: AstroIntegrationLogger,
): void {
  const { bodies, bodyReads } = siteAt(root);
  // An incremental build may have rendered no page.
  if (bodies.size === 0 || bodyReads > 0 || Reflect.get(experimental, 'incrementalBuild')) return;
  const text =
    "No page of this build called `withBody()`. With `bodies: 'mirror'`, `render(entry)` shows no text: use " +
    '`render(await withBody(entry))`, with `withBody` from astro-articles.';
  logger.warn(withOptionPages(text));
}

/** Warns of pages that load images from a service on this machine, because readers cannot load them. */
export function checkImages(
  root: URL,
  { dir, logger }: { dir: URL; logger: AstroIntegrationLogger },
): void {
  for (const origin of siteAt(root).localServices) {
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
    const pages = files.filter(
      (file) =>
        file.endsWith('.html') &&
        readFileSync(join(fileURLToPath(dir), file), 'utf8').includes(` src="${origin}/`),
    );
    if (pages.length === 0) continue;
    const text =
      `${pages.length === 1 ? 'A page loads' : `${pages.length} pages load`} images from ${origin}, which is this ` +
      "machine, so readers do not see them. Before you publish the site, set `images.body: 'local'`.";
    logger.warn(withOptionPages(text));
  }
}
