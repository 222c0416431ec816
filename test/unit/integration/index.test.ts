import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AstroConfig, HookParameters, IntegrationResolvedRoute } from 'astro';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ShownSlugs, siteAt } from '../../../src/content/site-state.ts';
import articles from '../../../src/integration/index.ts';
import { route } from '../../helpers/routes.ts';
import { temporaryFolder, temporaryServer } from '../../helpers/temporary.ts';
import { speedUp } from '../../helpers/time.ts';
import { shownSlugs } from './shown-slugs.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

type Setup = HookParameters<'astro:config:setup'>;

/** Sets a site up for a command of Astro. */
async function setUp(command: Setup['command'], more: object[] = []) {
  const root = pathToFileURL(`${await temporaryFolder()}/`);
  const integration = articles({ pageSize: 7 });
  const addDevToolbarApp = vi.fn();
  const updateConfig = vi.fn();
  const config = { root, integrations: [integration, ...more] };
  const setup = { config, command, updateConfig, addDevToolbarApp };
  integration.hooks['astro:config:setup']?.(setup as never);
  const [plugin] = updateConfig.mock.calls[0]?.[0].vite.plugins ?? [];
  return { plugin, addDevToolbarApp, site: siteAt(root) };
}

describe('the set-up', () => {
  test.each<[Setup['command'], string, number]>([
    ['dev', 'development', 1],
    ['build', 'production', 0],
    ['sync', 'production', 0],
    ['preview', 'production', 0],
  ])('for %s is in %s mode, until Vite says another one', async (command, mode, apps) => {
    const { plugin, site, addDevToolbarApp } = await setUp(command);
    expect(site.integration).toMatchObject({ options: { pageSize: 7 }, redirects: true, mode });
    plugin.configResolved({ mode: 'staging', envDir: '/settings' });
    expect(site.integration).toMatchObject({ mode: 'staging', envDir: '/settings' });
    plugin.configResolved({ mode: 'staging', envDir: false });
    expect(site.integration?.envDir).toBeUndefined();
    expect(addDevToolbarApp).toHaveBeenCalledTimes(apps);
  });

  test('makes a dev server read new content, with any query of Vite', async () => {
    const reader = new URL('../../../src/content/get-articles.js', import.meta.url);
    const path = fileURLToPath(reader);
    const codeOf = async (command: Setup['command'], id: string) =>
      (await setUp(command)).plugin.transform('code', id)?.code;
    for (const id of [path, `${path}?v=1`])
      expect(await codeOf('dev', id)).toBe("import 'astro:content';\ncode");
    expect(await codeOf('dev', `${path}x`)).toBeUndefined();
    expect(await codeOf('build', path)).toBeUndefined();
  });

  test('refuses a second integration, because only one would apply', async () => {
    await expect(setUp('build', [{ name: 'other' }])).resolves.toBeDefined();
    await expect(setUp('build', [articles()])).rejects.toMatchObject({ code: 'invalid-options' });
  });
});

describe('a dev server', () => {
  /** Starts the dev server of a site whose loads succeed. */
  async function start(options: Parameters<typeof articles>[0] = {}) {
    const folder = await temporaryFolder();
    const url = (path: string) => pathToFileURL(join(folder, path, '/'));
    const folders = { srcDir: url('src'), outDir: url('dist') };
    const config = { root: url('.'), ...folders, markdown: {}, image: {}, env: { schema: {} } };
    const { hooks } = articles(options);
    hooks['astro:config:done']?.({ config } as never);
    const use = vi.fn();
    const toolbar = { on() {}, send() {} };
    const setup = { server: { middlewares: { use } }, toolbar, logger: { error() {} } };
    const site = siteAt(config.root);
    const refreshContent = async () => {
      site.loads += 1;
    };
    await hooks['astro:server:setup']?.({ ...setup, refreshContent } as never);
    const stop = () => hooks['astro:server:done']?.({} as never);
    const [endpoint] = use.mock.calls[0] ?? [];
    return { config, site, stop, endpoint };
  }

  test('reads the code of its plugins when it starts, and not in its first load', async () => {
    const { config, site, stop } = await start();
    expect(site.inputs?.config).toBe(config);
    stop();
  });

  test.each([
    [undefined, 200],
    ['a secret of some length', 403],
  ])('with the secret %j responds %i to a request without one', async (secret, status) => {
    vi.stubEnv('ARTICLES_REFRESH_SECRET', secret);
    const { stop, endpoint } = await start();
    const { url } = await temporaryServer(endpoint);
    const response = await fetch(`${url}/_articles/refresh`, { method: 'POST' });
    expect(response.status).toBe(status);
    stop();
  });

  test('checks the listing at the interval of the option, until Astro stops it', async () => {
    speedUp(100);
    const { site, stop } = await start({ refresh: 500 });
    const report = { collection: 'articles', status: 'synced', duration: 1, notices: [] } as const;
    site.reports.set('articles', report);
    const load = vi.fn(async () => undefined);
    site.reloads.set('articles', load);
    await expect.poll(() => load.mock.calls.length).toBeGreaterThan(0);
    const stopServer = vi.spyOn(site, 'stopServer');
    stop();
    expect(stopServer).toHaveBeenCalledOnce();
  });
});

const key = 'kQ7zR4pW9xT2mB8nV5';
const historyFile = '_articles/paths.jsonl';

describe('a build', () => {
  interface Build {
    /** By path, with the folder of the output: `outDir`, `client`, `server` or `pages`. */
    files?: Record<string, string>;
    routes?: IntegrationResolvedRoute[];
    slugs?: Partial<ShownSlugs>;
    options?: Parameters<typeof articles>[0];
    adapter?: string;
    /** @default that of an article without a file in the output */
    pages?: string[];
  }

  /** Builds a site with one article. Returns the history that is published. */
  async function build({
    files = {},
    routes = [],
    slugs = {},
    options = {},
    adapter,
    pages = ['withheld/'],
  }: Build) {
    const root = pathToFileURL(`${await temporaryFolder()}/`);
    const folder = (name: string) => new URL(`${name}/`, root);
    for (const name of ['outDir', 'client', 'server', 'pages', 'src']) await mkdir(folder(name));
    for (const [name, text] of Object.entries(files)) await writeFile(new URL(name, root), text);
    const build = { client: folder('client'), server: folder('server') };
    const config = {
      ...{ root, srcDir: folder('src'), outDir: folder('outDir'), base: '/', build },
      adapter: { name: adapter },
    } as unknown as AstroConfig;
    const site = siteAt(root);
    site.keys.add(key);
    const writePaths = vi.fn();
    site.slugs.set('articles', shownSlugs({ 1: 'withheld' }, { mirror: { writePaths }, ...slugs }));
    const { hooks } = articles(options);
    hooks['astro:config:done']?.({ config } as never);
    hooks['astro:routes:resolved']?.({ routes } as never);
    const logger = { info: vi.fn(), warn: vi.fn() };
    const dir = folder('pages');
    const output = { dir, pages: pages.map((pathname) => ({ pathname })), logger };
    const done = hooks['astro:build:done']?.(output as never);
    const failure = await Promise.resolve(done).catch((error: unknown) => error);
    const published = new URL(historyFile, dir);
    const text = existsSync(published) ? await readFile(published, 'utf8') : undefined;
    return { failure, text, writePaths, warnings: logger.warn.mock.calls.flat() };
  }

  // Astro lists a page also if its response has no body, and then writes no file.
  test.each([
    ['a page on demand with a parameter', {}],
    ['an endpoint', { type: 'endpoint' as const }],
    ['a page that is built', { isPrerendered: true }],
  ])('publishes no article without a file in the output for %s', async (_, given) => {
    const { text, failure } = await build({ routes: [route('/[slug]', given)] });
    expect(failure).toBeUndefined();
    expect(text).not.toContain('withheld');
  });

  test.each<[string, Build]>([
    ...['outDir', 'client', 'server', 'pages'].map((name): [string, Build] => [
      `the folder ${name}`,
      { files: { [`${name}/a.js`]: key } },
    ]),
    [
      'a page, of the options',
      { files: { 'pages/a.js': 'xWq4_Rt8' }, options: { apiKey: ' xWq4_Rt8 ' } },
    ],
    ['the variables of another adapter', { files: { 'server/.dev.vars': key } }],
  ])('fails if the API key is in %s, and adds nothing to the history', async (_, given) => {
    const { failure, writePaths } = await build(given);
    expect(failure).toMatchObject({ code: 'key-in-output' });
    expect(writePaths).not.toHaveBeenCalled();
  });

  test('fails if a page contains the API key of live collections, which is in the environment', async () => {
    vi.stubEnv('ARTICLES_API_KEY', ' xWq4_Rt8\n');
    // Built collections may have another one.
    const options = { apiKey: key };
    const { failure } = await build({ files: { 'pages/a.js': 'xWq4_Rt8' }, options });
    vi.unstubAllEnvs();
    expect(failure).toMatchObject({ code: 'key-in-output' });
  });

  test('may have the API key in the local variables of Cloudflare', async () => {
    const files = { 'server/.dev.vars': key };
    const { failure } = await build({ files, adapter: '@astrojs/cloudflare' });
    expect(failure).toBeUndefined();
  });

  const taken = route('/withheld');
  test.each<[string, string, Build]>([
    ['a page has the path of an article', 'path-taken', { routes: [taken] }],
    [
      'a page of another language has it',
      'path-taken',
      { routes: [route('/', { fallbackRoutes: [taken] })] },
    ],
    ['a slug contains no id', 'id-unreadable', { slugs: { isNewestOnly: true } }],
  ])('fails if %s', async (_, code, given) => {
    expect((await build(given)).failure).toMatchObject({ code });
  });

  test('warns of articles that no page shows, or will show', async () => {
    const current = new Map([['1', 'withheld-1']]);
    const older = { slugs: { current, isNewestOnly: true }, pages: ['withheld-1/'] };
    expect((await build(older)).warnings).toEqual([expect.stringContaining('`newest`')]);
  });
});
