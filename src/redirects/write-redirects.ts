import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { AstroConfig, HookParameters, IntegrationResolvedRoute } from 'astro';
import { escapeUTF8 } from 'entities/escape';
import { escapePattern } from '../http/api-key.ts';
import { pathKey } from '../shared/slug.ts';
import type { Redirect } from './plan-redirects.ts';
import { ownsPath, trimSlashes } from './route-paths.ts';

/**
 * Writes redirects: as a page, which works on every host, and as a rule for hosts that support redirect rules. Leaves out
 * those from a path of the site, and those to what is not a page. So a redirect never leads to another redirect.
 *
 * @param redirects paths without `base`, the most important first
 * @returns the redirects that were written, as URL paths with `base`
 */
export async function writeRedirects(
  redirects: readonly Redirect[],
  site: BuiltSite,
): Promise<Redirect[]> {
  const { dir, config, pages, routes } = site;
  const urlPath = (path: string) => `${config.base.replace(/\/$/, '')}/${encodeURI(path)}`;
  const keys = new Set([...pages.keys()].map(pathKey));
  const written: Redirect[] = [];
  const rules: Redirect[] = [];
  for (const { from, to } of redirects) {
    const { pathname = '', end } = pages.get(to) ?? {};
    const isOfSite =
      endingOf(dir, from) !== undefined || routes.some((route) => ownsPath(route, from, to));
    if (!end || isOfSite) continue;
    // Not every host serves a file at a path without its extension.
    const target = end === '.html' ? to + end : pathname;
    const former = from + (pathname.endsWith('/') ? '/' : '');
    const file = urlOf(dir, from, end);
    await mkdir(new URL('.', file), { recursive: true });
    const url = urlPath(pathname);
    const canonical = config.site ? new URL(url, config.site).href : url;
    await writeFile(file, redirectPage(urlPath(former), urlPath(target), canonical));
    const redirect = { from: urlPath(former), to: url };
    written.push(redirect);
    // A host that compares paths without case would redirect the page to itself.
    if (!keys.has(pathKey(from))) rules.push(redirect);
  }
  if (rules.length > 0) await writeHostRedirects(rules, site);
  return written;
}

/**
 * Returns the HTML of a page that redirects at once, like the redirects of Astro. Its script, where it may run, keeps the
 * query and the fragment.
 */
function redirectPage(from: string, to: string, canonical: string): string {
  const target = escapeUTF8(to);
  return `<!doctype html>
<title>Redirecting to: ${target}</title>
<meta http-equiv="refresh" content="0;url=${target}">
<meta name="robots" content="noindex">
<link rel="canonical" href="${escapeUTF8(canonical)}">
<body>
	<a href="${target}">Redirecting from <code>${escapeUTF8(from)}</code> to <code>${target}</code></a>
	<script>location.replace(document.links[0].href + location.search + location.hash)</script>
</body>
`;
}

/** The possible endings of the file name for a path. */
const endings = ['/index.html', '.html', ''];

/** Finds the pages of which a build has written a file, by their paths without slashes around them. */
export function findWrittenPages({
  dir,
  pages,
}: Pick<HookParameters<'astro:build:done'>, 'dir' | 'pages'>) {
  const all = pages.map(({ pathname }) => ({ pathname, end: endingOf(dir, pathname) }));
  const written = all.filter(({ end }) => end !== undefined);
  return new Map(written.map((page) => [trimSlashes(page.pathname), page]));
}

/** Finds the file of a path, and returns the ending of its name. */
function endingOf(dir: URL, path: string): string | undefined {
  return endings.find((end) => {
    const file = urlOf(dir, path, end);
    return existsSync(file) && statSync(file).isFile();
  });
}

function urlOf(dir: URL, path: string, end: string): URL {
  return new URL(`./${encodeURI(trimSlashes(path))}${end}`, dir);
}

/** The output of a build. */
export interface BuiltSite {
  dir: URL;
  pages: ReturnType<typeof findWrittenPages>;
  /** The routes of the site, redirects of astro.config included. */
  routes: readonly IntegrationResolvedRoute[];
  config: Pick<AstroConfig, 'base' | 'site' | 'root' | 'adapter'>;
}

/**
 * Cloudflare ignores all further static rules, and the rules of the site are last
 * (https://developers.cloudflare.com/workers/static-assets/redirects/).
 */
const maxCloudflareRules = 2_000;

/**
 * Writes redirects in the formats of hosts that support redirect rules: `_redirects`, which Netlify and Cloudflare read
 * and which other sites may have, and the routes of Vercel. Their paths begin with a slash.
 */
async function writeHostRedirects(
  redirects: readonly Redirect[],
  { dir, config }: BuiltSite,
): Promise<void> {
  const { NETLIFY, CF_PAGES, WORKERS_CI } = process.env;
  const adapter = config.adapter?.name;
  if (adapter === '@astrojs/vercel') await writeVercelRoutes(redirects, config.root);
  const isNetlify = adapter === '@astrojs/netlify' || NETLIFY !== undefined;
  const isCloudflare = adapter === '@astrojs/cloudflare' || CF_PAGES || WORKERS_CI;
  const base = encodeURI(config.base.replace(/\/?$/, '/'));
  // This adapter puts the pages in a folder of the published one, and Cloudflare reads the file in the latter.
  const isBelow = adapter === '@astrojs/cloudflare' && dir.href.endsWith(base);
  const file = new URL(`${'../'.repeat(isBelow ? base.split('/').length - 2 : 0)}_redirects`, dir);
  if (!isNetlify && !isCloudflare && !existsSync(file)) return;

  const rules = existsSync(file) ? await readFile(file, 'utf8') : '';
  const ownPaths = new Set(rules.split('\n').map((line) => line.trim().split(/\s/)[0]));
  // On Netlify an existing page wins over a rule, unless the rule is forced by `!`, which Cloudflare rejects
  // (https://docs.netlify.com/routing/redirects/rewrites-proxies/#shadowing).
  const status = isNetlify ? '301!' : '301';
  const lines = redirects.flatMap(({ from, to }) =>
    // Cloudflare needs a rule with the trailing slash, and a rule without it.
    [from.replace(/\/$/, ''), from.replace(/\/?$/, '/')]
      .filter((path) => !ownPaths.has(path))
      .map((path) => `${path} ${to} ${status}\n`),
  );
  // The first redirects are from the newest paths. The other redirects still have their pages.
  const room = isCloudflare ? Math.max(0, maxCloudflareRules - ownPaths.size) : lines.length;
  // New rules are first, because the first matching rule applies, and because Cloudflare counts each rule after one with
  // a placeholder as dynamic, and reads only 100 of these.
  await writeFile(file, lines.slice(0, room).join('') + rules);
}

/** Adds routes to the configuration that the adapter wrote (Build Output API, version 3). */
async function writeVercelRoutes(redirects: readonly Redirect[], root: URL): Promise<void> {
  const file = new URL('.vercel/output/config.json', root);
  if (!existsSync(file)) return;
  const config: { routes?: unknown[] } = JSON.parse(await readFile(file, 'utf8'));
  const routes = redirects.map(({ from, to }) => ({
    src: `^${escapePattern(from.replace(/\/$/, ''))}/?$`,
    caseSensitive: true,
    headers: { Location: to },
    status: 301,
  }));
  const all = { ...config, routes: [...routes, ...(config.routes ?? [])] };
  await writeFile(file, JSON.stringify(all));
}
