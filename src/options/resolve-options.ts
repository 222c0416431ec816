import { parseBaseUrl } from '../client/urls.ts';
import { ArticlesOptionsError } from '../errors.ts';
import { type ArticlesOptions, defaults, type ResolvedOptions } from './options.ts';

/**
 * Fills the options: the loader's own win over the integration's, which win over the environment.
 *
 * @throws {ArticlesOptionsError} when address or key is nowhere to be found, or the address is none
 */
export function resolveOptions(sources: {
  loader: ArticlesOptions;
  integration: ArticlesOptions;
  environment: Readonly<Record<string, string | undefined>>;
  command: 'build' | 'dev';
}): ResolvedOptions {
  const { loader, integration, environment, command } = sources;
  // A person who looks at a site while writing for it wants to see it, whatever happens.
  const policy = command === 'dev' ? 'keep' : 'fail';
  const merged = [fromEnvironment(environment), integration, loader].reduce<ArticlesOptions>(
    (below, above) => merge(below, above),
    { ...defaults, onInvalid: policy, onUnavailable: policy },
  );
  const { baseUrl, apiKey = '' } = merged;
  if (!baseUrl)
    throw missing('base-url-missing', 'address of the service', 'ARTICLES_BASE_URL', 'baseUrl');
  if (!apiKey && !merged.offline)
    throw missing('key-missing', 'API key', 'ARTICLES_API_KEY', 'apiKey');
  return { ...merged, baseUrl: parseBaseUrl(baseUrl).href, apiKey } as ResolvedOptions;
}

function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): ArticlesOptions {
  return {
    baseUrl: environment.ARTICLES_BASE_URL?.trim() || undefined,
    apiKey: environment.ARTICLES_API_KEY?.trim() || undefined,
    offline: toFlag(environment.ARTICLES_OFFLINE?.trim()),
  };
}

function toFlag(value: string | undefined): boolean | undefined {
  if (!value) return undefined;
  if (/^(1|true|yes|on)$/i.test(value)) return true;
  if (/^(0|false|no|off)$/i.test(value)) return false;
  throw new ArticlesOptionsError(
    'invalid-options',
    `ARTICLES_OFFLINE is ${JSON.stringify(value)}.`,
    { hint: 'Set it to 1 to build from the mirror without any request, or to 0.' },
  );
}

/** Lays one set of options over another; what is undefined covers nothing. */
export function merge<T extends object>(below: T, above: object): T {
  const layered = Object.entries(above).map(([key, value]) => {
    const under: unknown = Reflect.get(below, key);
    if (value === undefined) return [key, under];
    return [key, isPlain(value) && isPlain(under) ? merge(under, value) : value];
  });
  return { ...below, ...Object.fromEntries(layered) };
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function missing(
  code: 'base-url-missing' | 'key-missing',
  what: string,
  variable: string,
  option: string,
) {
  return new ArticlesOptionsError(code, `The ${what} is not set.`, {
    hint:
      `Put ${variable}=… into the .env file of the site or the environment of the build` +
      (code === 'key-missing'
        ? '. The key is made in the service under Settings → Integrations → REST API → "Generate API key".'
        : `, or give \`${option}\` to articles(), which must stand in \`integrations\` of astro.config.`),
  });
}
