import { describe, expect, it } from 'vitest';
import { createArticlesClient } from '../../src/client/index.ts';
import { ArticlesError } from '../../src/errors.ts';
import articles, { articlesCollection, articlesLoader } from '../../src/index.ts';
import { defaults, parseOptions } from '../../src/options/options.ts';
import { resolveOptions } from '../../src/options/resolve-options.ts';

const environment = { ARTICLES_BASE_URL: 'https://env.example', ARTICLES_API_KEY: 'env-key' };

function resolve(sources: Partial<Parameters<typeof resolveOptions>[0]>) {
  return resolveOptions({ loader: {}, integration: {}, environment, command: 'build', ...sources });
}

/** What a person sees of an error: its sentence and its hint. */
function textOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (ArticlesError.is(error))
      return `${error.name} [${error.code}] ${error.message}\nHint: ${error.hint}`;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('options', () => {
  it('of the loader win over those of the integration, which win over the environment', () => {
    expect(resolve({})).toMatchObject({ baseUrl: 'https://env.example/', apiKey: 'env-key' });
    const resolved = resolve({
      integration: { baseUrl: 'https://integration.example', retry: { limit: 2, maxDelay: 5 } },
      loader: { baseUrl: 'https://loader.example', retry: { limit: 1 }, apiKey: undefined },
    });
    expect(resolved).toMatchObject({
      baseUrl: 'https://loader.example/',
      apiKey: 'env-key',
      retry: { limit: 1, maxDelay: 5 },
    });
  });

  it('have the documented defaults', () => {
    expect(resolve({})).toEqual({
      ...defaults,
      baseUrl: 'https://env.example/',
      apiKey: 'env-key',
      onInvalid: 'fail',
      onUnavailable: 'fail',
    });
    expect(resolve({ command: 'dev' })).toMatchObject({ onInvalid: 'keep', onUnavailable: 'keep' });
  });

  it('need no key when no request is made', () => {
    const offline = { ...environment, ARTICLES_API_KEY: '', ARTICLES_OFFLINE: '1' };
    expect(resolve({ environment: offline })).toMatchObject({ offline: true, apiKey: '' });
  });

  it('may be left out everywhere: `astro add` writes articles()', () => {
    expect(articles().name).toBe('astro-articles');
    expect(articlesLoader().name).toBe('astro-articles');
    expect(Object.keys(articlesCollection())).toEqual(['loader', 'schema']);
  });
});

describe('an option that cannot be used', () => {
  it('is named when it is unknown', () => {
    expect(
      textOf(() => articles({ pagesize: 100, retry: { limits: 3 } } as object)),
    ).toMatchInlineSnapshot(`
      "ArticlesOptionsError [invalid-options] articles() was given options that it cannot use:
        - \`retry.limits\` is no option: did you mean \`limit\`?
        - \`pagesize\` is no option: did you mean \`pageSize\`?
      Hint: The README says what each option may be."
    `);
  });

  it('is named with its bound', () => {
    expect(textOf(() => articlesLoader({ pageSize: 501 }))).toMatchInlineSnapshot(`
      "ArticlesOptionsError [invalid-options] articlesLoader() was given options that it cannot use:
        - \`pageSize\`: expected a whole number from 1 to 500 (the service allows no more), got 501
      Hint: The README says what each option may be."
    `);
    expect(textOf(() => articlesLoader({ concurrency: 0 }))).toMatchInlineSnapshot(`
      "ArticlesOptionsError [invalid-options] articlesLoader() was given options that it cannot use:
        - \`concurrency\`: expected a whole number from 1 to 64, got 0
      Hint: The README says what each option may be."
    `);
    expect(textOf(() => articlesLoader({ order: 'random' } as object))).toMatchInlineSnapshot(`
      "ArticlesOptionsError [invalid-options] articlesLoader() was given options that it cannot use:
        - \`order\`: expected one of "newest-first"|"oldest-first", got "random"
      Hint: The README says what each option may be."
    `);
    expect(textOf(() => articlesLoader({ fetch: 'x' } as object))).toMatchInlineSnapshot(`
      "ArticlesOptionsError [invalid-options] articlesLoader() was given options that it cannot use:
        - \`fetch\`: expected a function, got "x"
      Hint: The README says what each option may be."
    `);
  });

  it('is told from the environment', () => {
    expect(
      textOf(() => resolve({ environment: { ...environment, ARTICLES_OFFLINE: 'maybe' } })),
    ).toMatchInlineSnapshot(`
      "ArticlesOptionsError [invalid-options] ARTICLES_OFFLINE is "maybe".
      Hint: Set it to 1 to build from the mirror without any request, or to 0."
    `);
  });
});

describe('address and key', () => {
  it('are asked for by name when they are missing', () => {
    expect(textOf(() => resolve({ environment: {} }))).toMatchInlineSnapshot(`
      "ArticlesOptionsError [base-url-missing] The address of the service is not set.
      Hint: Put ARTICLES_BASE_URL=… into the .env file of the site or the environment of the build, or give \`baseUrl\` to articles(), which must stand in \`integrations\` of astro.config."
    `);
    expect(
      textOf(() => resolve({ environment: { ARTICLES_BASE_URL: 'https://a.example' } })),
    ).toMatchInlineSnapshot(`
      "ArticlesOptionsError [key-missing] The API key is not set.
      Hint: Put ARTICLES_API_KEY=… into the .env file of the site or the environment of the build. The key is made in the service under Settings → Integrations → REST API → "Generate API key"."
    `);
  });

  it.each([
    'app.example.com',
    'ftp://app.example.com',
    'http://app.example.com',
    'https://user:secret@app.example.com',
    'https://app.example.com/?key=1',
    'https://app.example.com/#x',
  ])('%s is refused as an address', (baseUrl) => {
    const text = textOf(() => createArticlesClient({ baseUrl, apiKey: 'k' }));
    expect(text).toMatchSnapshot();
    expect(text).not.toContain('secret');
  });

  it.each([
    ['https://app.example.com', 'https://app.example.com/'],
    ['https://app.example.com/sub', 'https://app.example.com/sub/'],
    ['http://localhost:8000', 'http://localhost:8000/'],
    ['http://127.0.0.1', 'http://127.0.0.1/'],
    ['http://[::1]:1', 'http://[::1]:1/'],
  ])('%s is taken as %s', (baseUrl, taken) => {
    expect(createArticlesClient({ baseUrl, apiKey: 'k' }).baseUrl.href).toBe(taken);
  });

  it.each(['', 'two words', 'line\nbreak', 'schlüssel', 'tab\t'])(
    'a key %j is refused and not repeated',
    (apiKey) => {
      const text = textOf(() => createArticlesClient({ baseUrl: 'https://a.example', apiKey }));
      expect(text).toContain('key-malformed');
      if (apiKey) expect(text).not.toContain(apiKey);
    },
  );
});

it('parses what it has parsed before to the same options', () => {
  const given = { pageSize: 10, images: { covers: 'remote' } } as const;
  expect(parseOptions(parseOptions(given, 'x'), 'x')).toEqual(given);
});
