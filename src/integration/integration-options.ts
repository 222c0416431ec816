import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { siteAt } from '../content/site-state.ts';
import { checkOptions } from '../options/check-options.ts';
import { type Environment, readEnvironment } from '../options/environment.ts';
import { optionsSchema, wholeNumber } from '../options/options.ts';

const integrationSchema = optionsSchema.extend({
  /** How `astro dev` learns that articles have changed, beside `POST /_articles/refresh`. */
  refresh: z
    .strictObject({
      /** Milliseconds from one look at the listing to the next, from 500. @default none: no polling */
      interval: wholeNumber([500, 86_400_000]),
      /**
       * What a request must send to refresh: `?secret=`, or a bearer token. Needed when the dev server
       * listens beyond this machine. @default the environment variable ARTICLES_REFRESH_SECRET
       */
      secret: z.string().min(8, 'expected 8 characters or more').optional(),
    })
    .optional(),
});

/** What `articles()` takes: the options of the loader, and those of the dev server. */
export type ArticlesIntegrationOptions = z.input<typeof integrationSchema>;
type RefreshOptions = NonNullable<ArticlesIntegrationOptions['refresh']>;

/** @throws {ArticlesOptionsError} for an option that is unknown or out of range */
export function parseIntegrationOptions(given: unknown): ArticlesIntegrationOptions {
  return checkOptions(integrationSchema, given, 'articles()');
}

/** The API keys that a site's settings name, whoever uses them. */
export function keysFor(root: URL, { apiKey }: ArticlesIntegrationOptions): string[] {
  const { ARTICLES_API_KEY: key } = environmentOf(root);
  return [apiKey, key?.trim()].flatMap((each) => each || []);
}

/** Fills in the secret from the environment. */
export function refreshOptions(root: URL, given: RefreshOptions = {}): RefreshOptions {
  if (given.secret) return given;
  const { ARTICLES_REFRESH_SECRET: secret } = environmentOf(root);
  return { ...given, ...(secret?.trim() ? { secret: secret.trim() } : {}) };
}

function environmentOf(root: URL): Environment {
  const { handover } = siteAt(root);
  const folder = handover?.envDir ?? fileURLToPath(root);
  return readEnvironment({ folder, mode: handover?.mode ?? 'production' });
}
