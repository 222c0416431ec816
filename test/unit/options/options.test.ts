import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createArticlesClient } from '../../../src/client/index.ts';
import { ArticlesError } from '../../../src/errors.ts';
import articles, { articlesLoader } from '../../../src/index.ts';
import {
  parseIntegrationOptions,
  refreshSecret,
} from '../../../src/integration/integration-options.ts';
import { optionsSchema } from '../../../src/options/options.ts';
import { resolveOptions } from '../../../src/options/resolve-options.ts';

const environment = { ARTICLES_BASE_URL: 'https://env.example', ARTICLES_API_KEY: 'env-key' };

function resolve(sources: Partial<Parameters<typeof resolveOptions>[0]>) {
  return resolveOptions({ loader: {}, integration: {}, environment, command: 'build', ...sources });
}

/** The message and the hint of an error, without the path of the documentation. */
function textOf(run: () => unknown, subject = String(run)): string {
  try {
    run();
  } catch (error) {
    if (ArticlesError.is(error)) {
      const hint = error.hint.replace(/\nSee node_modules.*$/, '');
      return `[${error.code}] ${error.message}\nHint: ${hint}`;
    }
    throw error;
  }
  throw new Error(`No error was thrown by ${subject}`);
}

const sanitizeLine =
  "`sanitize`: expected true, false, 'strict' or an object with lists of `tags`, `attributes` and `iframes`.";

/** The line about the first option that is invalid. */
function lineAbout(options: unknown): string {
  const subject = `articlesLoader(${inspect(options)})`;
  const [, line = ''] = textOf(() => articlesLoader(options as object), subject).split('\n');
  return line.trim();
}

describe('options', () => {
  test('give the key of the site to no collection with another service or key', () => {
    const other = { baseUrl: 'https://other.example', apiKey: undefined };
    expect(textOf(() => resolve({ loader: other }))).toContain('key of https://other.example');
    expect(textOf(() => resolve({ loader: { apiKey: undefined } }))).toContain('for https://env');
    expect(resolve({ loader: { baseUrl: 'https://env.example/2' } }).apiKey).toBe('env-key');
    // The key of one source is not sent to the URL of another one.
    expect(textOf(() => resolve({ integration: other }))).toContain('key of https://other.example');
    const onlyKey = { ARTICLES_API_KEY: 'env-key' };
    expect(resolve({ environment: onlyKey, integration: other }).apiKey).toBe('env-key');
    expect(textOf(() => resolve({ environment: onlyKey, loader: other }))).toContain('key-missing');
  });

  test('of the loader win over those of the integration, which win over the environment', () => {
    expect(resolve({})).toMatchObject({ baseUrl: 'https://env.example/', apiKey: 'env-key' });
    const covers = 'remote' as const;
    const [baseUrl, ofLoader] = ['https://integration.example', 'https://loader.example'];
    const sanitize = { iframes: ['video.example'] };
    const resolved = resolve({
      integration: { baseUrl, retries: 2, pageSize: 5, sanitize: 'strict', images: { covers } },
      loader: {
        baseUrl: ofLoader,
        apiKey: 'loader-key',
        retries: 1,
        sanitize,
        images: { maxBytes: 9 },
      },
    });
    expect(resolved).toMatchObject({
      ...{ baseUrl: `${ofLoader}/`, apiKey: 'loader-key', retries: 1, pageSize: 5 },
      images: { covers, maxBytes: 9, body: 'remote' },
    });
    expect(resolved.sanitize).toEqual(sanitize);
  });

  test('say what fails a build, and nothing of that fails `astro dev`', () => {
    expect(resolve({}).failOn).toEqual(['articles', 'service']);
    expect(resolve({ loader: { failOn: ['images'] } }).failOn).toEqual(['images']);
    expect(resolve({ loader: { failOn: ['images'] }, command: 'dev' }).failOn).toEqual([]);
  });

  test('load the newest rows of a listing only if they come first', () => {
    expect(resolve({ integration: { newest: 5 } }).newest).toBe(5);
    const options = { integration: { newest: 5 }, loader: { order: 'oldest-first' as const } };
    expect(textOf(() => resolve(options))).toContain(
      "  - `newest`: needs a service whose listing has `order: 'newest-first'`.",
    );
  });

  test('that only variables set are off by default, and need no key without requests', () => {
    expect(resolve({})).toMatchObject({ offline: false, allowRemoval: false });
    const variables = { ...environment, ARTICLES_OFFLINE: '0', ARTICLES_ALLOW_REMOVAL: '1' };
    const allowed = resolve({ environment: variables });
    expect(allowed).toMatchObject({ offline: false, allowRemoval: true });
    const offline = { ...environment, ARTICLES_API_KEY: '', ARTICLES_OFFLINE: '1' };
    expect(resolve({ environment: offline })).toMatchObject({ offline: true, apiKey: '' });
  });

  test.each([
    ['skip', 'dev', 'skip'],
    ['skip', 'build', 'skip'],
    ['dev', 'dev', 'include'],
    ['dev', 'build', 'skip'],
    ['include', 'build', 'include'],
  ] as const)('`drafts: %j` means in the command %s: %s', (drafts, command, expected) => {
    expect(resolve({ integration: { drafts }, command })).toMatchObject({ drafts: expected });
  });

  test('without a URL are refused, and with ARTICLES_OFFLINE the hint says why it is needed', () => {
    const text = textOf(() => resolve({ environment: { ARTICLES_OFFLINE: '1' } }));
    expect(text).toContain('[base-url-missing]');
    expect(text).toContain('the URL says which mirror');
  });

  test('of two integrations in one config are refused, because one would be ignored', () => {
    const [one, two] = [articles(), articles({ drafts: 'dev' })];
    const setup = one.hooks['astro:config:setup'] as (given: object) => void;
    expect(() => setup({ config: { integrations: [one, two] } })).toThrow('more than once');
  });

  test('can be left out everywhere, as `astro add` writes articles()', () => {
    expect(articles().name).toBe('astro-articles');
    expect(articlesLoader().name).toBe('astro-articles');
  });

  test('of the site are separate from those of the loaders', () => {
    expect(parseIntegrationOptions({ pageSize: 10, refresh: 500 })).toEqual({
      loaderOptions: { pageSize: 10 },
      siteOptions: { redirects: true, refresh: 500 },
    });
    expect(parseIntegrationOptions({ redirects: false }).siteOptions.redirects).toBe(false);
  });
});

describe('an invalid option', () => {
  test.each([
    [{ redirects: false }, 'Unknown option `redirects`.'],
    [{ pagesize: 1 }, 'Unknown option `pagesize`.'],
    [{ images: { cover: 'local' } }, 'Unknown option `images.cover`.'],
    [{ pageSize: 501 }, '`pageSize`: expected a whole number from 1 to 500.'],
    ...[30, 999, 1500.5, Number.NaN].map((timeout): [object, string] => [
      { timeout },
      '`timeout`: expected milliseconds, from 1000 to 3600000 (30 seconds are 30_000).',
    ]),
    [{ failOn: 'service' }, "`failOn`: expected a list, such as `failOn: ['service']`."],
    [{ fetch: 'x' }, '`fetch`: expected a function.'],
    [{ rows: 5 }, "`rows`: expected 'compare', 'whole' or { changedBy: 'the name of a field' }."],
    [{ entryId: () => 'x' }, '`entryId`: Invalid option: expected one of "id"|"slug".'],
    [{ images: [] }, '`images`: Invalid input: expected object, received array.'],
    [{ sanitize: 'no' }, sanitizeLine],
    [{ sanitize: { attributes: { a: 5 } } }, sanitizeLine],
    [{ mirrorDir: '' }, '`mirrorDir`: Too small: expected string to have >=1 characters.'],
    [5, 'The options: Invalid input: expected object, received number.'],
  ])('%j is described', (options, line) => {
    expect(lineAbout(options)).toBe(`- ${line}`);
  });

  test.each(Object.keys(optionsSchema.shape))('%s is named when it has a wrong type', (name) => {
    expect(lineAbout({ [name]: Symbol('wrong') })).toContain(`\`${name}\`: `);
  });

  test('is not repeated when it may be a secret', () => {
    expect(lineAbout({ apiKey: 123456789 })).not.toContain('123456789');
  });

  test('of the environment is reported with its variable', () => {
    const invalid = { ...environment, ARTICLES_OFFLINE: 'maybe' };
    expect(textOf(() => resolve({ environment: invalid }))).toContain(
      '  - `ARTICLES_OFFLINE`: expected 1 or 0.',
    );
  });

  test('of the environment that protects nothing is reported without its value', () => {
    const read = (ARTICLES_REFRESH_SECRET?: string) => refreshSecret({ ARTICLES_REFRESH_SECRET });
    for (const secret of ['short-secret', 'whsec_c2hvcnQ=', 'x'.repeat(40)]) {
      const text = textOf(() => read(secret));
      expect(text).toContain('[invalid-options] ARTICLES_REFRESH_SECRET ');
      expect(text).not.toContain(secret);
    }
    for (const secret of ['a secret of some length', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']) {
      expect(read(secret)).toBe(secret);
    }
    expect(read()).toBeUndefined();
  });
});

describe('the address and the key', () => {
  test.each([
    [{ ARTICLES_BASE_URL: 'https://a.example' }, '[key-missing] The API key is not set.'],
    [{ ARTICLES_API_KEY: 'k' }, '[base-url-missing] The URL of the service is not set.'],
  ])('are reported alone when one is missing: %j', (environment, text) => {
    expect(textOf(() => resolve({ environment }))).toContain(text);
  });

  test.each(['', 'two words', 'line\nbreak', 'schlüssel', 'tab\t'])(
    'the key %j is rejected and not repeated',
    (apiKey) => {
      const text = textOf(() => createArticlesClient({ baseUrl: 'https://a.example', apiKey }));
      expect(text).toContain('key-malformed');
      if (apiKey) expect(text).not.toContain(apiKey);
    },
  );
});

describe('the allow-list of `sanitize`', () => {
  const tags = 'noscript SCRIPT style animate set iframe object astro-island';
  const attributes =
    'onclick OnLoad srcdoc xml:onload shadowrootmode formaction ' +
    '_ x-data x-on:click @click :class hx-get ws-connect sse-connect ng-click ng_click v-html up-follow wire:click ' +
    'data-hx-get data-script data-turbo-method data-turbo-permanent data-astro-transition-persist data-method ' +
    'data-controller data-action data-gallery-target data-init data-effect data-on-load data-text data-bind ' +
    'data-signals data-x-data data-v-html data-bs-toggle data-toggle data-wire-click data-up-follow';
  const asTag =
    'tags.1`: expected an element that can neither run script nor embed a page; `sanitize.iframes` allows frames.';
  const asAttribute =
    'attributes.*.0`: expected an attribute that neither browsers nor script libraries act on; only `sanitize: false` keeps it.';
  test.each<[string, object, string]>([
    ...tags.split(' ').map((name): [string, object, string] => {
      return [name, { tags: ['figure', name] }, asTag];
    }),
    ...attributes.split(' ').map((name): [string, object, string] => {
      return [name, { attributes: { '*': [name] } }, asAttribute];
    }),
  ])('refuses what can run script: %s', (_, sanitize, line) => {
    expect(lineAbout({ sanitize })).toBe(`- \`sanitize.${line}`);
  });

  test('accepts elements and attributes that cannot', () => {
    const sanitize = { tags: ['svg', 'math', 'my-chart'], attributes: { 'my-chart': ['data-x'] } };
    expect(resolve({ integration: { sanitize } }).sanitize).toEqual(sanitize);
  });
});
