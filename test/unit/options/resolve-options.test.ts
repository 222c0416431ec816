import { describe, expect, test } from 'vitest';
import { resolveOptions } from '../../../src/options/resolve-options.ts';
import { textOf } from '../../helpers/error-text.ts';

const environment = { ARTICLES_BASE_URL: 'https://env.example', ARTICLES_API_KEY: 'env-key' };

function resolve(sources: Partial<Parameters<typeof resolveOptions>[0]>) {
  return resolveOptions({ loader: {}, integration: {}, environment, command: 'build', ...sources });
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
    // The key of the integration is for its own URL, or else for that of the environment.
    const own = { apiKey: 'own-key' };
    expect(resolve({ integration: own }).apiKey).toBe('own-key');
    const both = { integration: { ...own, baseUrl: other.baseUrl } };
    expect(resolve(both).apiKey).toBe('own-key');
    const elsewhere = { baseUrl: environment.ARTICLES_BASE_URL };
    expect(textOf(() => resolve({ ...both, loader: elsewhere }))).toContain('for https://other');
    expect(textOf(() => resolve({ loader: { apiKey: '' } }))).toContain('key-missing');
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

  test('of the environment have no blanks around them, as hosts write a variable', () => {
    const blank = { ARTICLES_BASE_URL: ' https://env.example\n', ARTICLES_API_KEY: ' env-key\r\n' };
    const expected = { baseUrl: 'https://env.example/', apiKey: 'env-key' };
    expect(resolve({ environment: blank })).toMatchObject(expected);
    const none = { ARTICLES_BASE_URL: ' ', ARTICLES_API_KEY: '\n' };
    expect(textOf(() => resolve({ environment: none }))).toContain('[base-url-missing]');
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

  test.each([undefined, '', ' ', '0', ' false '])(
    'that only variables set are off with %j, as hosts write a variable without a value',
    (value) => {
      const variables = { ...environment, ARTICLES_OFFLINE: value, ARTICLES_ALLOW_REMOVAL: value };
      const resolved = resolve({ environment: variables });
      expect(resolved).toMatchObject({ offline: false, allowRemoval: false });
    },
  );

  test.each([
    ['skip', 'dev', 'skip'],
    ['skip', 'build', 'skip'],
    ['dev', 'dev', 'include'],
    ['dev', 'build', 'skip'],
    ['include', 'build', 'include'],
  ] as const)('`drafts: %j` means in the command %s: %s', (drafts, command, expected) => {
    expect(resolve({ integration: { drafts }, command })).toMatchObject({ drafts: expected });
  });

  test('without a URL are refused, with ARTICLES_OFFLINE, too', () => {
    const text = textOf(() => resolve({ environment: { ARTICLES_OFFLINE: '1' } }));
    expect(text).toContain('[base-url-missing]');
  });

  test.each([
    [{ ARTICLES_BASE_URL: 'https://a.example' }, '[key-missing] The API key is not set.'],
    [{ ARTICLES_API_KEY: 'k' }, '[base-url-missing] The URL of the service is not set.'],
  ])('are reported alone when one is missing: %j', (environment, text) => {
    expect(textOf(() => resolve({ environment }))).toContain(text);
  });

  test('of the environment that are invalid are reported with their variable', () => {
    const invalid = { ...environment, ARTICLES_OFFLINE: 'maybe' };
    expect(textOf(() => resolve({ environment: invalid }))).toContain(
      '  - `ARTICLES_OFFLINE`: expected 1 or 0.',
    );
  });
});
