import { existsSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import type { AstroConfig } from 'astro';
import { encodeHistory, historyPath, type SiteHistory } from '../content/published-history.ts';
import { writeHostRedirects } from './redirect-hosts.ts';
import { redirectPage } from './redirect-page.ts';
import { type ArticleSlugs, planRedirects, type Redirect, trimSlashes } from './redirect-plan.ts';

export interface BuiltSite {
  /** The folder that is published: `dir` of `astro:build:done`. */
  dir: URL;
  /** The pages of `astro:build:done`. */
  pages: readonly { pathname: string }[];
  config: Pick<AstroConfig, 'base' | 'site' | 'root' | 'redirects'>;
  /** The name of the site's adapter. */
  adapter: string | undefined;
}

/**
 * Writes a redirect from each former path of a page to its current one: as a page, which works on every
 * host, and as a rule for hosts that support redirect rules.
 *
 * @returns the redirects that were written, as URL paths with `base`
 */
export async function writeRedirects(
  articles: readonly ArticleSlugs[],
  { dir, pages, config, adapter }: BuiltSite,
): Promise<Redirect[]> {
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
  if (written.length > 0) {
    await writeHostRedirects({ redirects: written, dir, root: config.root, adapter });
  }
  return written;
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
