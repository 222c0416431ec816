import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SchemaContext } from 'astro/content/config';
import type { glob } from 'astro/loaders';
import { z } from 'astro/zod';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { createArticlesClient } from '../../src/client/index.ts';
import { checkBody } from '../../src/components/check-body.ts';
import { articleSchema } from '../../src/content/collection.ts';
import { ArticlesError } from '../../src/errors.ts';
import articles, { articlesCollection, articlesLoader } from '../../src/index.ts';
import { refreshSecret } from '../../src/integration/integration-options.ts';
import { checkSharp } from '../../src/integration/site-checks.ts';
import { liveArticlesLoader } from '../../src/live/index.ts';
import { optionsSchema } from '../../src/options/options.ts';
import { resolveOptions } from '../../src/options/resolve-options.ts';
import { readDate } from '../../src/shared/given-date.ts';
import { requireSite } from '../../src/shared/site-url.ts';
import { deployHook, previewUrl, purge, webhook } from '../../src/webhook/index.ts';
import { key, type LoadMore, useSite } from '../helpers/use-site.ts';

// What a newcomer gets wrong: each mistake ends with one message that names the cause and the fix.

const site = useSite({ articles: () => makeArticles(12, { words: [5, 10] }) });

type Options = Parameters<typeof articlesLoader>[0];
const option = (options: object) => () => articlesLoader(options as Options);
const environment = (variables: Record<string, string>) => () =>
  resolveOptions({ loader: {}, integration: {}, environment: variables, command: 'build' });
const load =
  (options: object = {}, more: LoadMore = {}) =>
  async () => {
    const { failure, warnings, log } = await site.load(options as Options, more);
    if (failure) throw failure;
    return warnings.join('\n') || log;
  };
const url = (baseUrl: string) => () => createArticlesClient({ baseUrl, apiKey: key });
const live = (options: object) => async () => {
  const result = await liveArticlesLoader(options).loadEntry({
    filter: { id: '1' },
    collection: 'live',
  });
  if (result && 'error' in result) throw result.error;
  return JSON.stringify(result);
};
const rootUrl = () => pathToFileURL(`${site.root}/`);

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

const mistakes: [mistake: string, make: () => unknown, message: RegExp][] = [
  // Settings
  ['no variables', environment({}), /address of the service and the API key are not set.*\.env/s],
  [
    'no key',
    environment({ ARTICLES_BASE_URL: 'https://a.example' }),
    /API key is not set.*ARTICLES_API_KEY=/s,
  ],
  [
    'no URL',
    environment({ ARTICLES_API_KEY: key }),
    /address of the service is not set.*ARTICLES_BASE_URL=/s,
  ],
  [
    'a public variable for the key',
    environment({ ARTICLES_BASE_URL: 'https://a.example', PUBLIC_ARTICLES_API_KEY: key }),
    /PUBLIC_ARTICLES_API_KEY is set, and is part of client code.*Rename it to ARTICLES_API_KEY/s,
  ],
  [
    'a flag that is neither on nor off',
    environment({
      ARTICLES_BASE_URL: 'https://a.example',
      ARTICLES_API_KEY: key,
      ARTICLES_OFFLINE: 'maybe',
    }),
    /ARTICLES_OFFLINE has an invalid value: "maybe".*to 1 .* or to 0/s,
  ],
  ['a URL without a scheme', url('app.example.com'), /has no scheme.*https:\/\/app\.example\.com/s],
  ['a URL with http', url('http://app.example.com'), /plain http.*Use https:/s],
  [
    'a URL with a password',
    url('https://me:secret@app.example.com'),
    /user name or password.*Leave them out/s,
  ],
  [
    'the URL of the listing',
    url('https://a.example/api/integrations/project/articles/'),
    /already contains the path of the listing.*Use https:\/\/a\.example/s,
  ],
  [
    'a key with a line break',
    () => createArticlesClient({ baseUrl: 'https://a.example', apiKey: 'a\nb' }),
    /line break.*Copy it again/s,
  ],
  [
    'a weak secret for refreshes',
    () => {
      writeFileSync(join(site.root, '.env'), 'ARTICLES_REFRESH_SECRET=abc\n');
      return refreshSecret(rootUrl());
    },
    /ARTICLES_REFRESH_SECRET needs at least 16 bytes.*openssl rand/s,
  ],
  // Options
  [
    'a misspelt option',
    option({ pagesize: 5 }),
    /Unknown option `pagesize`\. Did you mean `pageSize`\?/,
  ],
  [
    'a misspelt option in a group',
    option({ images: { cover: 'remote' } }),
    /Did you mean `images\.covers`\?/,
  ],
  [
    'a choice that does not exist',
    option({ order: 'newest' }),
    /`order`: .*newest-first.*oldest-first/,
  ],
  [
    'a number that is too large',
    option({ pageSize: 501 }),
    /`pageSize`: expected a whole number from 1 to 500/,
  ],
  ['a text in place of a list', option({ failOn: 'articles' }), /`failOn`: /],
  [
    'a parameter of the pages in `query`',
    option({ query: { limit: '5' } }),
    /`pageSize` sets the limit/,
  ],
  [
    'an option of the site for a collection',
    option({ redirects: false }),
    /option of the whole site. Pass it to articles\(\) in astro\.config/,
  ],
  [
    'a `transform` that is not a function',
    option({ transform: 'upper' }),
    /`transform`: expected a function/,
  ],
  [
    'a script among the elements',
    option({ sanitize: { tags: ['script'] } }),
    /neither run script nor embed a page/,
  ],
  [
    '`with` the loader of this package',
    option({ with: articlesLoader() }),
    /another package. Articles of two services are two collections/,
  ],
  [
    '`newest` with the oldest first',
    () =>
      resolveOptions({
        loader: { newest: 5, order: 'oldest-first' },
        integration: {},
        environment: { ARTICLES_BASE_URL: 'https://a.example', ARTICLES_API_KEY: key },
        command: 'build',
      }),
    /`newest` needs a listing that begins with the newest.*Leave `newest` out/s,
  ],
  ['options that are a list', () => articles([] as never), /articles\(\) received invalid options/],
  [
    'a mirror in the folder that is published',
    load({ mirrorDir: 'public/mirror' }),
    /is in `publicDir`.*another folder/s,
  ],
  [
    'the collection as a loader',
    () => (articlesCollection() as unknown as ReturnType<typeof glob>).load({} as never),
    /`articlesCollection\(\)` is not a loader.*defineCollection\(articlesCollection\(\)\)/s,
  ],
  // The service
  ['a wrong key', load({ apiKey: 'wrong-key-1' }), /refused the API key.*Check the key/s],
  [
    'a wrong path',
    () => load({ baseUrl: `${site.service.url}/wrong/` })(),
    /responded 404.*Check `baseUrl`/s,
  ],
  [
    'a web page in place of the service',
    () => {
      site.strike('any', { kind: 'html' });
      return load()();
    },
    /text\/html instead of JSON.*Check|check `baseUrl`/s,
  ],
  [
    'a service that does not run',
    load({ baseUrl: 'http://127.0.0.1:59999', retries: 0 }),
    /ECONNREFUSED.*Check that the service is running/s,
  ],
  [
    'an unknown host',
    load({
      retries: 0,
      fetch: async () => {
        throw new TypeError('fetch failed', {
          cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }),
        });
      },
    }),
    /could not be resolved \(ENOTFOUND/,
  ],
  [
    'a service of another shape',
    () => {
      site.strike('any', { kind: 'json', value: { entries: { total: 3 }, page: 1 } });
      return load()();
    },
    /fields: entries, page.*translate\.md/s,
  ],
  [
    'offline before the first load',
    load({}, { env: { ARTICLES_OFFLINE: '1' } }),
    /does not contain a usable mirror.*npx astro sync/s,
  ],
  [
    'a project without articles',
    () => {
      site.service.replace([]);
      return load()();
    },
    /lists no articles.*Check the API key|check the API key/s,
  ],
  // The schema and `transform`
  [
    'a field that the service does not send',
    load(
      {},
      {
        schema: (context: SchemaContext) => articleSchema(context).extend({ subtitle: z.string() }),
      },
    ),
    /articles .*subtitle.*\.optional\(\)/s,
  ],
  [
    'a `transform` without `return`',
    load({ transform: () => undefined }),
    /left out by `transform` \(it has to return each article/,
  ],
  [
    'a misspelt field in `rows.changedBy`',
    load({ rows: { changedBy: 'updated' } }),
    /No row of the listing has the field "updated"/,
  ],
  [
    'HTML as Markdown',
    () => {
      site.service.replace([
        { id: 1, title: 't', content: '<p>One</p>\n<p>Two</p>', cover_image: null },
      ]);
      return load()();
    },
    /looks like HTML.*`format: 'html'`/,
  ],
  // The site
  [
    'no `site` for the feed',
    () => requireSite('feedItems()', undefined),
    /feedItems\(\) needs `site` in astro\.config.*site: 'https/s,
  ],
  [
    'a date in words',
    () => readDate('yesterday', '`date` of feedItems()'),
    /invalid date: "yesterday".*Pass a Date/s,
  ],
  [
    '<ArticleBody> without an article',
    () => checkBody({}),
    /needs an article.*article=\{article\}/s,
  ],
  [
    'a URL in `embeds`',
    () => checkBody({ article: {}, embeds: { 'https://youtube.com/': () => undefined } }),
    /Use the host of the links.*'youtube\.com'/s,
  ],
  [
    'a component that is not imported',
    () => checkBody({ article: {}, components: { img: undefined } }),
    /no component for "img".*Check its import/s,
  ],
  [
    'no sharp',
    () => {
      mkdirSync(join(site.root, 'node_modules'), { recursive: true });
      const service = { entrypoint: 'astro/assets/services/sharp' };
      return checkSharp({ root: rootUrl(), image: { service } as never }, {});
    },
    /needs the package sharp.*pnpm add sharp/s,
  ],
  // Live pages and webhooks
  [
    'a live collection without a key',
    live({ baseUrl: 'https://a.example' }),
    /API key is not set.*getSecret\('ARTICLES_API_KEY'\)/s,
  ],
  [
    'an option of a build for a live collection',
    () => liveArticlesLoader({ newest: 5 } as never),
    /Unknown option `newest`/,
  ],
  [
    'a webhook without a secret',
    () => webhook({ secret: undefined, actions: [purge()] }),
    /`secret` is missing.*environment variables/s,
  ],
  [
    'a secret that was not expanded',
    () => webhook({ secret: `$${'{ARTICLES_WEBHOOK_SECRET}'}`, actions: [purge()] }),
    /variable that was not expanded/,
  ],
  [
    'a webhook without actions',
    () => webhook({ secret: 'a-secret-of-enough-bytes', actions: [] }),
    /needs at least one action.*deployHook/s,
  ],
  [
    'a build hook without its URL',
    () => deployHook(undefined).run({ signal: new AbortController().signal } as never),
    /deployHook\(\) needs the https address of a build hook/,
  ],
  [
    'a preview link that has expired already',
    () =>
      previewUrl('1', {
        secret: 'a-secret-of-enough-bytes',
        page: 'https://a.example/preview',
        expires: 0,
      }),
    /expired already/,
  ],
];

describe('a mistake of a newcomer', () => {
  it.each(mistakes)('%s, ends with its cause and fix', async (_, make, message) => {
    let text: string;
    try {
      text = String(await make());
    } catch (error) {
      // Functions of webhooks throw a `TypeError`.
      if (!ArticlesError.is(error) && !(error instanceof TypeError)) throw error;
      text = `${error.message}\n${ArticlesError.is(error) ? error.hint : ''}`;
    }
    expect(text).toMatch(message);
    expect(text).not.toContain(key);
  });
});

describe('each option', () => {
  const names = Object.keys(optionsSchema.shape);

  it.each(names)('%s is found when it is misspelt, and named when it has a wrong type', (name) => {
    expect(option({ [`${name}s`]: 1 })).toThrow(`Did you mean \`${name}\`?`);
    expect(option({ [name]: Symbol('wrong') })).toThrow(`\`${name}\`: `);
  });
});
