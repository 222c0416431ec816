import { createRequire } from 'node:module';
import * as z from 'zod';
import { parseBaseUrl } from '../client/urls.ts';
import { ArticlesOptionsError } from '../errors.ts';
import { checkOptions, merge } from '../shared/check-options.ts';
import { type ArticlesOptions, optionsSchema, type ResolvedOptions } from './options.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
type LoadEnv = (mode: string, folder: string, prefix: string) => Environment;

const flag = z.preprocess(
  (value) => String(value ?? '').trim() || '0',
  z.stringbool('expected 1 or 0'),
);
const flags = z.object({ ARTICLES_OFFLINE: flag, ARTICLES_ALLOW_REMOVAL: flag });
// A listing that begins with the oldest rows shows only at its end which ones are the newest.
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
export function resolveOptions(sources: {
  loader: ArticlesOptions;
  integration: ArticlesOptions;
  environment: Environment;
  command: 'build' | 'dev';
}): ResolvedOptions {
  const { loader, integration, environment, command } = sources;
  const variables: ArticlesOptions = {
    baseUrl: environment.ARTICLES_BASE_URL?.trim() || undefined,
    apiKey: environment.ARTICLES_API_KEY?.trim() || undefined,
  };
  const merged = merge(merge(variables, integration), loader);
  const { baseUrl } = merged;
  // A service must not receive the key of another one: a key belongs to the URL next to it, or else to that of the site.
  const { baseUrl: home = integration.baseUrl ?? variables.baseUrl } = integration.apiKey
    ? integration
    : variables;
  const originOf = (url = '') => URL.parse(url)?.origin;
  // With `apiKey: process.env.NEWS_KEY`, the variable may be missing, and the key of the site is that of another project.
  const isOther =
    'apiKey' in loader || (home !== undefined && originOf(baseUrl) !== originOf(home));
  const { apiKey } = isOther ? loader : merged;
  const given = checkOptions(flags, environment, 'The environment');
  const lacksKey = !apiKey && !given.ARTICLES_OFFLINE;
  if (!baseUrl) throw notSet('base-url-missing', 'The URL of the service', given.ARTICLES_OFFLINE);
  const { href } = parseBaseUrl(baseUrl);
  if (lacksKey && isOther) {
    const hint =
      'Set the `apiKey` of this collection: Astro copies no variable of .env to `process.env`. Without the option, the key ' +
      `of the site is used, for ${originOf(home) ?? 'the service of the site'} only.`;
    throw new ArticlesOptionsError('key-missing', `The API key of ${href} is not set.`, { hint });
  }
  if (lacksKey) throw notSet('key-missing', 'The API key');
  const { drafts, ...options } = checkOptions(resolvable, merged, 'The collection');
  const showsDrafts = drafts === 'include' || (drafts === 'dev' && command === 'dev');
  return {
    ...options,
    drafts: showsDrafts ? 'include' : 'skip',
    baseUrl: href,
    apiKey: apiKey ?? '',
    // In dev, an outdated page is more useful than no page.
    failOn: command === 'dev' ? [] : options.failOn,
    offline: given.ARTICLES_OFFLINE,
    allowRemoval: given.ARTICLES_ALLOW_REMOVAL,
  };
}

function notSet(
  code: 'base-url-missing' | 'key-missing',
  what: string,
  isOffline = false,
): ArticlesOptionsError {
  const offline = isOffline
    ? 'With ARTICLES_OFFLINE, no request is sent, but the URL says which mirror is that of the service.\n'
    : '';
  return new ArticlesOptionsError(code, `${what} is not set.`, {
    hint: `${offline}Add to the .env file of the site, or to the environment of the build:
  ARTICLES_BASE_URL=https://…
  ARTICLES_API_KEY=…
The service issues the key, usually in its settings for integrations or for its API.
Instead of ARTICLES_BASE_URL, the option \`baseUrl\` of articles() in astro.config can be set.
Without a service, \`npx astro-articles serve\` runs one with examples, and prints what to add.`,
  });
}

/**
 * Reads the variables with a prefix of the process and of the site's .env files, `ARTICLES_ALLOW_REMOVAL` of the process
 * only: in a file, it would be forgotten. It uses `loadEnv` of Astro's own Vite, so it reads the same files as Astro.
 * Variables of the process take precedence.
 *
 * @param site the folder of the .env files, and Vite's mode, which selects `.env.[mode]`
 */
export function readEnvironment(
  { folder, mode }: { folder: string; mode: string },
  prefix = 'ARTICLES_',
): Environment {
  const paths = [import.meta.dirname, folder];
  const astro = createRequire(import.meta.url).resolve('astro/package.json', { paths });
  const { loadEnv }: { loadEnv: LoadEnv } = createRequire(astro)('vite');
  const { ARTICLES_ALLOW_REMOVAL } = process.env;
  return { ...loadEnv(mode, folder, prefix), ARTICLES_ALLOW_REMOVAL };
}
