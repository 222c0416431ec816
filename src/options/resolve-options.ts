import * as z from 'zod';
import { parseBaseUrl } from '../client/urls.ts';
import { ArticlesOptionsError } from '../errors.ts';
import { checkOptions, merge } from '../shared/check-options.ts';
import type { Variables } from './environment.ts';
import { type ArticlesOptions, optionsSchema, type ResolvedOptions } from './options.ts';

const flag = z.preprocess(
  (value) => String(value ?? '').trim() || '0',
  z.stringbool('expected 1 or 0'),
);
const flagSchemas = z.object({ ARTICLES_OFFLINE: flag, ARTICLES_ALLOW_REMOVAL: flag });
// A listing that begins with the oldest rows shows only at its end which rows are the newest.
const resolvable = optionsSchema.refine(
  ({ newest, order }) => newest === undefined || order === 'newest-first',
  { path: ['newest'], error: "needs a service whose listing has `order: 'newest-first'`" },
);

/**
 * Merges the options of a loader, of the integration and of the environment, in this order of
 * precedence, and fills in the defaults.
 *
 * @throws {ArticlesOptionsError} when the URL or the key is missing, the URL or a variable is invalid, or
 *   options contradict each other
 */
export function resolveOptions(sources: OptionSources): ResolvedOptions {
  const { loader, integration, environment, command } = sources;
  const site = merge(variablesOf(environment), integration);
  const merged = merge(site, loader);
  const flags = readFlags(environment);
  if (!merged.baseUrl) throw notSet('base-url-missing', 'The URL of the service');
  const url = parseBaseUrl(merged.baseUrl);
  const { apiKey = '', error } = keyFor(url, sources, site);
  if (!apiKey && !flags.ARTICLES_OFFLINE) throw error;
  const { drafts, ...options } = checkOptions(resolvable, merged, 'The collection');
  const showsDrafts = drafts === 'include' || (drafts === 'dev' && command === 'dev');
  return {
    ...options,
    drafts: showsDrafts ? 'include' : 'skip',
    baseUrl: url.href,
    apiKey,
    // In dev, an outdated page is more useful than no page.
    failOn: command === 'dev' ? [] : options.failOn,
    offline: flags.ARTICLES_OFFLINE,
    allowRemoval: flags.ARTICLES_ALLOW_REMOVAL,
  };
}

/** The variables that are on or off. */
export type Flags = z.output<typeof flagSchemas>;

/**
 * Reads the variables that are on or off.
 *
 * @throws {ArticlesOptionsError} when one has another value
 */
export function readFlags(environment: Variables): Flags {
  return checkOptions(flagSchemas, environment, 'The environment');
}

interface OptionSources {
  loader: ArticlesOptions;
  integration: ArticlesOptions;
  environment: Variables;
  command: 'build' | 'dev';
}

function variablesOf(environment: Variables): ArticlesOptions {
  return {
    baseUrl: environment.ARTICLES_BASE_URL?.trim() || undefined,
    apiKey: environment.ARTICLES_API_KEY?.trim() || undefined,
  };
}

/**
 * Returns the API key for a service, and the error if it is missing. The key of the site belongs to the service whose URL is
 * next to it, or else to the service of the site, and no other service may receive it. With `apiKey: process.env.NEWS_KEY`,
 * the variable may be missing, and the key of the site belongs to another project.
 */
function keyFor(
  { href, origin }: URL,
  { loader, integration, environment }: OptionSources,
  site: ArticlesOptions,
): { apiKey?: string | undefined; error: ArticlesOptionsError } {
  const besideKey = integration.apiKey ? integration : variablesOf(environment);
  const home = besideKey.baseUrl ?? site.baseUrl;
  const homeOrigin = home && URL.parse(home)?.origin;
  const isHome = home === undefined || origin === homeOrigin;
  if (isHome && !('apiKey' in loader))
    return { apiKey: site.apiKey, error: notSet('key-missing', 'The API key') };
  const hint =
    'Write `apiKey: import.meta.env.NEWS_KEY` in this articlesLoader(), with the name of your variable: `process.env` has no ' +
    'variable of .env. Without the option, the key of the site is used, for ' +
    `${homeOrigin ?? 'the service of the site'} only.`;
  const message = `The API key of ${href} is not set.`;
  return {
    apiKey: loader.apiKey,
    error: new ArticlesOptionsError('key-missing', message, { hint }),
  };
}

function notSet(code: 'base-url-missing' | 'key-missing', what: string): ArticlesOptionsError {
  return new ArticlesOptionsError(code, `${what} is not set.`, {
    hint: `Add to the .env file of the site, or to the environment of the build:
  ARTICLES_BASE_URL=https://…
  ARTICLES_API_KEY=…
The service issues the key, usually in its settings for integrations or for its API.
Instead of ARTICLES_BASE_URL, the option \`baseUrl\` of articles() in astro.config can be set.
Without a service, \`npx astro-articles serve\` runs one with examples, and prints what to add.`,
  });
}
