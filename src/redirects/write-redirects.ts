import { existsSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import type { AstroConfig } from 'astro';
import { type PublishedSite, writeHostRedirects } from './host-rules.ts';
import { type ArticleSlugs, planRedirects, type Redirect, trimSlashes } from './plan-redirects.ts';
import { encodeHistory, historyPath, type SiteHistory } from './published-history.ts';

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
    pages: [
      ...pages.map(({ pathname }) => ({ path: pathname })),
      ...redirectedPages(config, pages),
    ],
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
 * Returns the paths of redirects in astro.config that have parameters, and the pages that they lead to: the redirect
 * `'/blog/[slug]': '/articles/[slug]'` makes each article a page below `/blog`, too.
 */
function redirectedPages(
  { redirects }: BuiltSite['config'],
  pages: BuiltSite['pages'],
): { path: string; to: string }[] {
  return Object.entries(redirects).flatMap(([from, redirect]) => {
    const target = typeof redirect === 'string' ? redirect : redirect.destination;
    if (!parameter.test(from)) return [];
    const pattern = new RegExp(`^${escapePattern(trimSlashes(target))}$`, 'u');
    return pages.flatMap(({ pathname }) => {
      const values = pattern.exec(trimSlashes(pathname))?.groups;
      if (!values) return [];
      const path = trimSlashes(from).replace(parameters, (_, _rest, name) => values[name] ?? '');
      return [{ path: pathname.endsWith('/') ? `${path}/` : path, to: pathname }];
    });
  });
}

const parameter = /\[(\.{3})?(\w+)\]/;
const parameters = new RegExp(parameter, 'g');

/** Makes a route of Astro a pattern that finds the values of its parameters. */
function escapePattern(route: string): string {
  return route
    .split(/(\[(?:\.{3})?\w+\])/)
    .map((part) => {
      const [, rest, name] = parameter.exec(part) ?? [];
      if (name) return rest ? `(?<${name}>.*)` : `(?<${name}>[^/]+)`;
      return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    })
    .join('');
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

/**
 * Publishes the history of slugs with the site, for builds that have no mirror.
 *
 * @param others articles that are left out if there are too many
 */
export async function writeHistory(
  history: SiteHistory,
  dir: URL,
  others?: SiteHistory,
): Promise<void> {
  const file = new URL(historyPath, dir);
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, encodeHistory(history, others));
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
