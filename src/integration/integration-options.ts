import * as z from 'zod';
import { ArticlesOptionsError } from '../errors.ts';
import type { Variables } from '../options/environment.ts';
import { type ArticlesOptions, optionsSchema } from '../options/options.ts';
import { checkOptions, type FieldsOf, wholeNumber } from '../shared/check-options.ts';
import { keyProblem } from '../webhook/verify-request.ts';

/** The options of `articles()`: options of all collections, and options of the site. */
export interface ArticlesIntegrationOptions extends ArticlesOptions, SiteOptions {}

interface SiteOptions {
  /**
   * Adds a permanent redirect from each former path of an article to its current page, so that links
   * keep working when a title or a folder changes. A build reads the published paths from `site`, and fails if it cannot;
   * with the environment variable `ARTICLES_REDIRECTS=best-effort`, it continues without them. With `false`, it publishes
   * them again, if it can read them, and redirects nothing. @default true
   */
  redirects?: boolean | undefined;
  /**
   * The number of milliseconds between two checks of the listing in `astro dev`, which shows changes in the open page.
   * `POST /_articles/refresh` loads the articles at once. @default no checks
   */
  refresh?: number | undefined;
}

/** The schema of `ArticlesIntegrationOptions`. */
export const integrationSchema = optionsSchema.extend({
  redirects: z.boolean().default(true),
  refresh: z.optional(wholeNumber({ min: 500, max: 86_400_000 })),
} satisfies FieldsOf<SiteOptions>);

/** @throws {ArticlesOptionsError} listing every option that is unknown or invalid */
export function parseIntegrationOptions(options: ArticlesIntegrationOptions = {}) {
  const { redirects, refresh } = checkOptions(integrationSchema, options, 'articles()');
  const { redirects: _, refresh: __, ...loaderOptions } = options;
  return { loaderOptions, siteOptions: { redirects, refresh } };
}

/**
 * Returns the secret of refresh requests, if there is one.
 *
 * @throws {ArticlesOptionsError} when it protects nothing
 */
export function refreshSecret({ ARTICLES_REFRESH_SECRET }: Variables): string | undefined {
  const secret = ARTICLES_REFRESH_SECRET?.trim();
  if (!secret) return undefined;
  const problem = keyProblem(secret);
  if (!problem) return secret;
  throw new ArticlesOptionsError('invalid-options', `ARTICLES_REFRESH_SECRET ${problem}.`, {
    hint: 'Set it to a random text, for example the output of `openssl rand -hex 32`.',
  });
}
