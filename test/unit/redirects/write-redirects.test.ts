import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Redirect } from '../../../src/redirects/plan-redirects.ts';
import {
  type BuiltSite,
  findWrittenPages,
  writeRedirects,
} from '../../../src/redirects/write-redirects.ts';
import { route } from '../../helpers/routes.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let root = '';

beforeEach(async () => {
  for (const name of ['NETLIFY', 'CF_PAGES', 'WORKERS_CI']) vi.stubEnv(name, undefined);
  root = await temporaryFolder();
});

afterEach(() => vi.unstubAllEnvs());

const leading = (from: string, to: string): Redirect[] => [{ from, to }];
const renamed = leading('posts/old-a1', 'posts/new-a1');

async function put(path: string, text = 'page'): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

const read = (path: string) => readFile(join(root, path), 'utf8');

function site(
  pages: string[],
  {
    adapter,
    routes = [],
    folder = 'dist',
    ...config
  }: Partial<Omit<BuiltSite['config'], 'adapter'>> & {
    adapter?: string;
    folder?: string;
    routes?: BuiltSite['routes'];
  } = {},
): BuiltSite {
  const dir = pathToFileURL(`${root}/${folder}/`);
  return {
    dir,
    pages: findWrittenPages({ dir, pages: pages.map((pathname) => ({ pathname })) }),
    routes,
    config: {
      base: '/',
      site: undefined,
      root: pathToFileURL(`${root}/`),
      ...(adapter && { adapter: { name: adapter, hooks: {} } }),
      ...config,
    },
  };
}

test('a page that redirects, like those of Astro', async () => {
  await put('dist/posts/new-a1/index.html');
  const redirects = await writeRedirects(
    renamed,
    site(['posts/new-a1/'], { site: 'https://site.example' }),
  );
  expect(redirects).toEqual(leading('/posts/old-a1/', '/posts/new-a1/'));
  expect(await read('dist/posts/old-a1/index.html')).toMatchInlineSnapshot(`
    "<!doctype html>
    <title>Redirecting to: /posts/new-a1/</title>
    <meta http-equiv="refresh" content="0;url=/posts/new-a1/">
    <meta name="robots" content="noindex">
    <link rel="canonical" href="https://site.example/posts/new-a1/">
    <body>
    	<a href="/posts/new-a1/">Redirecting from <code>/posts/old-a1/</code> to <code>/posts/new-a1/</code></a>
    	<script>location.replace(document.links[0].href + location.search + location.hash)</script>
    </body>
    "
  `);
});

test('a base, letters of any script, and characters that HTML and URLs escape', async () => {
  await put(`dist/a&b'"/日本-a1/index.html`);
  await writeRedirects(
    leading(`a&b'"/сад-a1`, `a&b'"/日本-a1`),
    site([`a&b'"/日本-a1/`], { base: '/docs/' }),
  );
  const page = await read(`dist/a&b'"/сад-a1/index.html`);
  expect(page).toContain('from <code>/docs/a&amp;b&apos;%22/%D1%81%D0%B0%D0%B4-a1/</code>');
  expect(page).toContain('content="0;url=/docs/a&amp;b&apos;%22/%E6%97%A5%E6%9C%AC-a1/"');
  expect(page).toContain(
    '<link rel="canonical" href="/docs/a&amp;b&apos;%22/%E6%97%A5%E6%9C%AC-a1/">',
  );
});

test('a base with characters that end an attribute', async () => {
  await put('dist/posts/new-a1/index.html');
  await writeRedirects(renamed, site(['posts/new-a1/'], { base: '/<">' }));
  const page = await read('dist/posts/old-a1/index.html');
  expect(page).toContain('content="0;url=/&lt;&quot;&gt;/posts/new-a1/"');
});

test.each(['', '/'])(
  'pages in files, for `build.format: "file"` and "preserve", whose URLs end with %j',
  async (end) => {
    await put('dist/posts/new-a1.html');
    const redirects = await writeRedirects(renamed, site([`posts/new-a1${end}`]));
    expect(redirects).toEqual(leading(`/posts/old-a1${end}`, `/posts/new-a1${end}`));
    const page = await read('dist/posts/old-a1.html');
    // Not every host serves posts/new-a1.html at /posts/new-a1, which is the URL in links and sitemaps.
    expect(page).toContain('content="0;url=/posts/new-a1.html"');
    expect(page).toContain(`<link rel="canonical" href="/posts/new-a1${end}">`);
  },
);

test.each([
  ['a page', 'posts/old-a1/index.html', 0],
  ['a page in a file', 'posts/old-a1.html', 0],
  ['a file', 'posts/old-a1', 0],
  ['a folder, which is not a page,', 'posts/old-a1/picture.png', 1],
])('%s at the former path is kept: %s', async (_, path, redirects) => {
  await put('dist/posts/new-a1/index.html');
  await put(`dist/${path}`, 'mine');
  expect(await writeRedirects(renamed, site(['posts/new-a1/']))).toHaveLength(redirects);
  expect(await read(`dist/${path}`)).toBe('mine');
});

test('a redirect of astro.config is kept, also where the adapter serves it', async () => {
  await put('dist/posts/new-a1/index.html');
  const routes = [route('/posts/[slug]'), route('/posts/old-a1', { type: 'redirect' })];
  expect(await writeRedirects(renamed, site(['posts/new-a1/'], { routes }))).toEqual([]);
});

test('a redirect of astro.config with a parameter keeps the paths that its target does not have', async () => {
  await put('dist/posts/new-a1/index.html');
  const old = { type: 'redirect', isPrerendered: true } as const;
  const more = [...leading('old/a1', 'posts/new-a1'), ...renamed];
  const routes = [route('/old/[slug]', old), route('/[...path]', { type: 'redirect' })];
  expect(await writeRedirects(more, site(['posts/new-a1/'], { routes }))).toEqual(
    leading('/posts/old-a1/', '/posts/new-a1/'),
  );
});

test('a prerendered route with a parameter has no path but its pages', async () => {
  await put('dist/guides/a1/index.html');
  const routes = [
    route('/posts/[slug]', { isPrerendered: true }),
    route('/guides/[slug]', { isPrerendered: true }),
  ];
  const moved = leading('posts/a1', 'guides/a1');
  expect(await writeRedirects(moved, site(['guides/a1/'], { routes }))).toHaveLength(1);
  const onDemand = [route('/posts/[slug]'), ...routes];
  await rm(join(root, 'dist/posts'), { recursive: true });
  expect(await writeRedirects(moved, site(['guides/a1/'], { routes: onDemand }))).toEqual([]);
});

test('a path that the site renders on demand is kept, in pages and in rules of hosts', async () => {
  vi.stubEnv('NETLIFY', 'true');
  await put('dist/new-a1/index.html');
  await put('dist/posts/new-a1/index.html');
  const routes = [route('/old-a1'), route('/[slug]'), route('/posts/[...slug]')];
  const both = [...leading('old-a1', 'new-a1'), ...renamed];
  await writeRedirects(both, site(['new-a1/', 'posts/new-a1/'], { routes }));
  await expect(read('dist/old-a1/index.html')).rejects.toThrow('ENOENT');
  expect(await read('dist/_redirects')).toBe(lines('301!'));
});

test('a path that differs from one of the site in capital letters only is kept', async () => {
  await put('dist/posts/new-a1/index.html');
  const routes = [route('/Posts/Old-A1')];
  expect(await writeRedirects(renamed, site(['posts/new-a1/'], { routes }))).toEqual([]);
});

test('redirects to no page that was not written, even if a redirect has its path', async () => {
  await put('dist/new-b/index.html');
  const both = [...leading('new-a', 'new-b'), ...leading('old-a', 'new-a')];
  const redirects = await writeRedirects(both, site(['new-a/', 'new-b/']));
  expect(redirects).toEqual(leading('/new-a/', '/new-b/'));
});

test('a path that differs from a page in letters only has a page, and no rule of a host, which may compare without case', async () => {
  vi.stubEnv('NETLIFY', '1');
  await put('.vercel/output/config.json', '{"version":3}');
  await put('dist/posts/slug-1/index.html');
  await put('dist/posts/über/index.html');
  const both = [
    ...leading('posts/Slug-1', 'posts/slug-1'),
    ...leading('posts/Über', 'posts/slug-1'),
    ...leading('posts/old', 'posts/slug-1'),
  ];
  const pages = ['posts/slug-1/', 'posts/über/'];
  await writeRedirects(both, site(pages, { adapter: '@astrojs/vercel' }));
  expect(await read('dist/posts/Slug-1/index.html')).toContain('url=/posts/slug-1/');
  expect(await read('dist/_redirects')).toBe(
    '/posts/old /posts/slug-1/ 301!\n/posts/old/ /posts/slug-1/ 301!\n',
  );
  const { routes } = JSON.parse(await read('.vercel/output/config.json'));
  expect(routes).toMatchObject([{ src: '^/posts/old/?$', caseSensitive: true }]);
});

interface Host {
  adapter?: string;
  variable?: string;
}

const lines = (status: string) =>
  `/posts/old-a1 /posts/new-a1/ ${status}\n/posts/old-a1/ /posts/new-a1/ ${status}\n`;

test.each([
  ['with @astrojs/cloudflare', { adapter: '@astrojs/cloudflare' }, '301'],
  // Otherwise Netlify serves the page that redirects.
  ['with @astrojs/netlify', { adapter: '@astrojs/netlify' }, '301!'],
  ['on a host that sets NETLIFY', { variable: 'NETLIFY' }, '301!'],
  ['on a host that sets CF_PAGES', { variable: 'CF_PAGES' }, '301'],
  ['on a host that sets WORKERS_CI', { variable: 'WORKERS_CI' }, '301'],
  ['with @astrojs/node', { adapter: '@astrojs/node' }, undefined],
])('_redirects of a build %s', async (_, { adapter, variable }: Host, status) => {
  if (variable) vi.stubEnv(variable, '1');
  await put('dist/posts/new-a1/index.html');
  await writeRedirects(renamed, site(['posts/new-a1/'], adapter ? { adapter } : {}));
  expect(await read('dist/posts/old-a1/index.html'), 'the page that redirects').toContain(
    'refresh',
  );
  const written = await read('dist/_redirects').catch(() => undefined);
  expect(written, '_redirects').toBe(status && lines(status));
});

test('_redirects has both forms of each path, also of pages in files', async () => {
  vi.stubEnv('NETLIFY', '1');
  await put('dist/posts/new-a1.html');
  await writeRedirects(renamed, site(['posts/new-a1']));
  expect(await read('dist/_redirects')).toBe(lines('301!').replaceAll('new-a1/', 'new-a1'));
});

test('the site’s own rules in _redirects are kept, and exact ones come first', async () => {
  const own = '# mine\n  /posts/old-a1/\t/elsewhere 302\n/* /404.html 404\n';
  await put('dist/posts/new-a1/index.html');
  await put('dist/_redirects', own);
  await writeRedirects(renamed, site(['posts/new-a1/']));
  expect(await read('dist/_redirects')).toBe(`/posts/old-a1 /posts/new-a1/ 301\n${own}`);
});

test.each([
  ['@astrojs/cloudflare', 'docs/en', '301', 'dist/docs/en', 'dist'],
  ['@astrojs/cloudflare', 'über', '301', 'dist/über', 'dist'],
  ['@astrojs/cloudflare', 'docs', '301', 'dist', 'dist'],
  // Only the adapter of Cloudflare makes a folder for `base`.
  ['@astrojs/netlify', 'dist', '301!', 'dist', 'dist'],
])(
  'writes _redirects of %s with the base %s where the host reads it, with the site’s own rules',
  async (adapter, base, status, pages, folder) => {
    await put(`${pages}/posts/new-a1/index.html`);
    await put(`${folder}/_redirects`, '/x /y\n');
    const based = site(['posts/new-a1/'], { adapter, base: `/${base}`, folder: pages });
    await writeRedirects(renamed, based);
    const rules = lines(status).replaceAll('/posts', `/${base}/posts`);
    expect(decodeURI(await read(`${folder}/_redirects`))).toBe(`${rules}/x /y\n`);
  },
);

test('Netlify reads all rules of a site', async () => {
  const rules = Array.from({ length: 2_500 }, (_, at) => `/own-${at} /elsewhere 302\n`).join('');
  await put('dist/posts/new-a1/index.html');
  await put('dist/_redirects', rules);
  await writeRedirects(renamed, site(['posts/new-a1/'], { adapter: '@astrojs/netlify' }));
  expect(await read('dist/_redirects')).toBe(lines('301!') + rules);
});

test.each([0, 1_900, 1_998, 2_500])(
  'Cloudflare reads all of the site’s own %i rules, and as many redirects as it can',
  async (count) => {
    const rules = Array.from({ length: count }, (_, at) => `/own-${at} /elsewhere 302\n`).join('');
    await put('dist/new-a1/index.html');
    await put('dist/_redirects', rules);
    const former = Array.from({ length: 200 }, (_, at) => leading(`old-${at}-a1`, 'new-a1'));
    await writeRedirects(former.flat(), site(['new-a1/'], { adapter: '@astrojs/cloudflare' }));
    const written = await read('dist/_redirects');
    const paths = written.split('\n').flatMap((line) => line.split(' ', 1)[0] || []);
    const redirects = paths.filter((path) => path.startsWith('/old-'));
    expect(written.slice(written.length - rules.length), 'its own rules').toBe(rules);
    expect(paths, 'lines of _redirects').toHaveLength(redirects.length + count);
    const room = Math.min(400, Math.max(0, 2_000 - count));
    expect(redirects.length, `redirects for ${room} lines`).toBeLessThanOrEqual(room);
    expect(redirects.length, `redirects for ${room} lines`).toBeGreaterThanOrEqual(room - 1);
    if (room > 1) expect(redirects[0], 'the first redirect').toBe('/old-0-a1');
  },
);

test('routes for Vercel, before those of the adapter', async () => {
  await put('dist/c++/new-a1/index.html');
  await put(
    '.vercel/output/config.json',
    '{"version":3,"routes":[{"handle":"filesystem"}],"images":{}}',
  );
  const redirects = leading('c++/old-a1', 'c++/new-a1');
  await writeRedirects(redirects, site(['c++/new-a1/'], { adapter: '@astrojs/vercel' }));
  expect(JSON.parse(await read('.vercel/output/config.json'))).toEqual({
    version: 3,
    routes: [
      {
        ...{ src: '^/c\\+\\+/old-a1/?$', caseSensitive: true },
        ...{ headers: { Location: '/c++/new-a1/' }, status: 301 },
      },
      { handle: 'filesystem' },
    ],
    images: {},
  });
});

test('routes for Vercel, where the adapter wrote none', async () => {
  await put('dist/posts/new-a1/index.html');
  await put('.vercel/output/config.json', '{"version":3}');
  await writeRedirects(renamed, site(['posts/new-a1/'], { adapter: '@astrojs/vercel' }));
  expect(JSON.parse(await read('.vercel/output/config.json')).routes).toHaveLength(1);
});
