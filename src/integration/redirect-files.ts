import { existsSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import type { AstroConfig } from 'astro';
import { encodeHistory, historyPath, type SiteHistory } from '../content/published-history.ts';
import { type PublishedSite, writeHostRedirects } from './redirect-hosts.ts';
import { type ArticleSlugs, planRedirects, type Redirect, trimSlashes } from './redirect-plan.ts';

export interface BuiltSite extends PublishedSite {
  /** The pages of `astro:build:done`. */
  pages: readonly { pathname: string }[];
  config: Pick<AstroConfig, 'base' | 'site' | 'redirects'>;
}

/**
 * Writes a redirect from each former path of a page to its current one: as a page, which works on every
 * host, and as a rule for hosts that support redirect rules.
 *
 * @returns the redirects that were written, as URL paths with `base`
 */
export async function writeRedirects(
  articles: readonly ArticleSlugs[],
  site: BuiltSite,
): Promise<Redirect[]> {
  const { dir, pages, config } = site;
  const configured = new Set(Object.keys(config.redirects).map(trimSlashes));
  const planned = planRedirects({
    pages: pages.map(({ pathname }) => pathname),
    articles,
    existing: (path) => endingOf(dir, path) !== undefined || configured.has(trimSlashes(path)),
  });
  const urlPath = (path: string) => `${config.base.replace(/\/$/, '')}/${encodeURI(path)}`;
  const written: Redirect[] = [];
  for (const { from, to } of planned) {
    const end = endingOf(dir, to);
    if (!end) continue;
    const redirect = { from: urlPath(from), to: urlPath(to) };
    // Not every host serves a file at a path without its extension.
    const target = end === '.html' ? urlPath(trimSlashes(to) + end) : redirect.to;
    const canonical = config.site ? new URL(target, config.site).href : target;
    const file = urlOf(dir, from, end);
    await mkdir(new URL('.', file), { recursive: true });
    await writeFile(file, redirectPage({ from: redirect.from, to: target, canonical }));
    written.push(redirect);
  }
  if (written.length > 0) await writeHostRedirects(written, site);
  return written;
}

/**
 * Returns the HTML of a page that redirects at once, like those of Astro. Its script, where it may run, keeps the
 * query and the fragment.
 *
 * @param canonical the absolute URL of `to`; without `site`, the path
 */
function redirectPage({ from, to, canonical }: Redirect & { canonical: string }): string {
  const target = escapeHtml(to);
  return `<!doctype html>
<title>Redirecting to: ${target}</title>
<meta http-equiv="refresh" content="0;url=${target}">
<meta name="robots" content="noindex">
<link rel="canonical" href="${escapeHtml(canonical)}">
<body>
	<a href="${target}">Redirecting from <code>${escapeHtml(from)}</code> to <code>${target}</code></a>
	<script>location.replace(document.links[0].href + location.search + location.hash)</script>
</body>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Publishes the history of slugs with the site, for builds that have no mirror. */
export async function writeHistory(history: SiteHistory, dir: URL): Promise<void> {
  const file = new URL(historyPath, dir);
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, encodeHistory(history));
}

/** The possible endings of the file name for a path. */
const endings = ['/index.html', '.html', ''] as const;

/** Finds the file of a path, and returns the ending of its name. */
function endingOf(dir: URL, path: string): (typeof endings)[number] | undefined {
  const isFile = (file: URL) => existsSync(file) && statSync(file).isFile();
  return endings.find((end) => isFile(urlOf(dir, path, end)));
}

function urlOf(dir: URL, path: string, end: string): URL {
  return new URL(`./${encodeURI(trimSlashes(path))}${end}`, dir);
}
