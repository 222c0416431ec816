import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { AstroConfig, HookParameters } from 'astro';

export interface Redirect {
  from: string;
  to: string;
}

/** The output of a build. */
export interface BuiltSite extends Pick<HookParameters<'astro:build:done'>, 'dir' | 'pages'> {
  config: Pick<AstroConfig, 'base' | 'site' | 'redirects' | 'root' | 'adapter'>;
}

/** Cloudflare ignores all further static rules, and those of the site are last. */
const maxCloudflareRules = 2_000;

/**
 * Writes redirects in the formats of hosts that support redirect rules: `_redirects`, which Netlify and Cloudflare read
 * and which other sites may have, and the routes of Vercel. Their paths begin with a slash.
 */
export async function writeHostRedirects(
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
  const file = new URL(
    '_redirects',
    isBelow ? dir.href.slice(0, 1 - base.length || undefined) : dir,
  );
  if (!isNetlify && !isCloudflare && !existsSync(file)) return;

  const rules = existsSync(file) ? await readFile(file, 'utf8') : '';
  const ownPaths = new Set(rules.split('\n').map((line) => line.trim().split(/\s/)[0]));
  // On Netlify an existing page wins over a rule, unless the rule is forced by `!`, which Cloudflare rejects.
  const status = isNetlify ? '301!' : '301';
  const lines = redirects.flatMap(({ from, to }) =>
    // Cloudflare needs a rule with the trailing slash, and one without it.
    [from.replace(/\/$/, ''), from.replace(/\/?$/, '/')]
      .filter((path) => !ownPaths.has(path))
      .map((path) => `${path} ${to} ${status}\n`),
  );
  // The first redirects are those of the newest slugs. All others still have their pages.
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
    src: `^${from.replace(/\/$/, '').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}/?$`,
    headers: { Location: to },
    status: 301,
  }));
  const all = { ...config, routes: [...routes, ...(config.routes ?? [])] };
  await writeFile(file, JSON.stringify(all));
}
