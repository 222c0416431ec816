import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { siteAt } from '../content/site-state.ts';
import { readEnvironment } from '../options/environment.ts';
import { type ArticlesOptions, optionsSchema } from '../options/options.ts';
import type { Environment } from '../options/resolve-options.ts';
import { checkOptions, wholeNumber } from '../shared/check-options.ts';

/** The options that only `articles()` accepts. */
export const siteSchema = z.strictObject({
  /**
   * Adds a permanent redirect from each former slug of an article to its current page, so that links
   * keep working when a title changes. A build reads the published slugs from `site`, and fails if it cannot;
   * `'best-effort'` continues without them, like the environment variable `ARTICLES_REDIRECTS=best-effort`.
   * @default true
   */
  redirects: z
    .union([z.boolean(), z.literal('best-effort')], "expected true, false or 'best-effort'")
    .default(true),
  /** How `astro dev` refreshes articles, in addition to `POST /_articles/refresh`. */
  refresh: z
    .strictObject({
      /** Milliseconds between two checks of the listing. @default no checks */
      interval: z.optional(wholeNumber({ min: 500, max: 86_400_000 })),
      /**
       * The secret of refresh requests: as `?secret=`, as a bearer token, or as the key of a signature.
       * Requests of other machines need one. @default the environment variable `ARTICLES_REFRESH_SECRET`
       */
      secret: z.string().min(8).optional(),
    })
    .prefault({}),
});

const integrationSchema = optionsSchema.extend(siteSchema.shape);

/** The options of `articles()`: those of the loaders, and those of the site. */
export type ArticlesIntegrationOptions = z.input<typeof integrationSchema>;

/** The options of the site, with their defaults. */
export type SiteOptions = z.output<typeof siteSchema>;

/** @throws {ArticlesOptionsError} listing every option that is unknown or invalid */
export function parseIntegrationOptions(options: ArticlesIntegrationOptions = {}): {
  loaderOptions: ArticlesOptions;
  siteOptions: SiteOptions;
} {
  checkOptions(integrationSchema, options, 'articles()');
  const { redirects, refresh, ...loaderOptions } = options;
  return { loaderOptions, siteOptions: siteSchema.parse({ redirects, refresh }) };
}

/** Returns the API keys in the site's settings, including those that only live collections use. */
export function keysInSettings(root: URL, { apiKey }: ArticlesOptions): string[] {
  const { ARTICLES_API_KEY: key } = environmentOf(root);
  return [apiKey, key].flatMap((each) => each?.trim() || []);
}

export function refreshSecret(root: URL, { refresh }: SiteOptions): string | undefined {
  return refresh.secret ?? (environmentOf(root).ARTICLES_REFRESH_SECRET?.trim() || undefined);
}

/** Returns how a build treats the published slugs. */
export function redirectMode(
  root: URL,
  { redirects }: SiteOptions,
): 'required' | 'best-effort' | 'off' {
  if (!redirects) return 'off';
  const isBestEffort = environmentOf(root).ARTICLES_REDIRECTS?.trim() === 'best-effort';
  return isBestEffort || redirects === 'best-effort' ? 'best-effort' : 'required';
}

function environmentOf(root: URL): Environment {
  const { mode = 'production', envDir = fileURLToPath(root) } = siteAt(root).integration ?? {};
  return readEnvironment({ folder: envDir, mode });
}
