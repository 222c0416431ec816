import { attributeOf, type Element, elementsOf, parseHtml } from '../../src/html/parse-html.ts';
import type { Site } from './site.ts';

/** Where a built site is, and where it is published. */
export interface Publication {
  site: string;
  base?: string;
  /** Whether the URLs of its pages end with a slash. With one of both, other links to pages are dead. */
  trailingSlash?: 'always' | 'never';
  /** The folder of the pages. @default 'dist' */
  folder?: string;
}

/**
 * Returns the links in the pages, feeds and sitemaps of a built site that lead to no file of it, each with the file that
 * has it. Links to other sites are not followed.
 */
export async function deadLinks(
  site: Site,
  { site: origin, base = '/', folder = 'dist', trailingSlash }: Publication,
): Promise<string[]> {
  const files = new Set(await site.list(folder));
  const home = new URL(base.replace(/\/?$/, '/'), origin);
  const isDead = (link: URL): boolean => {
    if (link.origin !== home.origin) return false;
    const isBelow = `${link.pathname}/`.startsWith(home.pathname);
    if (!isBelow) return true;
    const path = decodeURI(link.pathname.slice(home.pathname.length)).replace(/\/$/, '');
    if (files.has(path)) return false;
    const hasSlash = link.pathname.endsWith('/');
    const isHome = path === '' && base === '/';
    if (trailingSlash && !isHome && hasSlash !== (trailingSlash === 'always')) return true;
    const names = [`${path}.html`, path === '' ? 'index.html' : `${path}/index.html`];
    return !names.some((name) => files.has(name));
  };
  const dead: string[] = [];
  for (const file of files) {
    const name = file.replace(/(?:^|(?<=\/))index\.html$/, '');
    const page = new URL(name, home);
    if (trailingSlash === 'never') page.pathname = page.pathname.replace(/(?<=.)\/$/, '');
    const links = linksIn(file, () => site.read(`${folder}/${file}`));
    for (const link of await links) if (isDead(new URL(link, page))) dead.push(`${file}: ${link}`);
  }
  return dead;
}

async function linksIn(file: string, read: () => Promise<string>): Promise<string[]> {
  if (file.endsWith('.html')) return linksInHtml(await read());
  return file.endsWith('.xml') ? linksInXml(await read()) : [];
}

function linksInHtml(html: string): string[] {
  return elementsOf(parseHtml(html)).flatMap(linksOf);
}

function linksOf(element: Element): string[] {
  const value = (name: string) => attributeOf(element, name);
  const candidates = value('srcset')?.split(', ') ?? [];
  const sources = candidates.map((candidate) => candidate.trim().split(' ')[0]);
  const content = value('content');
  const property = value('property');
  const isLink = property === 'og:url' || property === 'og:image';
  const target = /^0;url=(.*)/.exec(content ?? '')?.[1];
  const named = [value('href'), value('src'), isLink ? content : target];
  return [...named, ...sources].filter((link) => link !== undefined);
}

/** Returns the links of a feed, also in its articles, or of a sitemap. */
function linksInXml(xml: string): string[] {
  const named = xml.matchAll(/<(loc|link|guid)\b[^>]*>([^<]+)</g);
  const articles = xml.matchAll(/<content:encoded>([^<]*)</g);
  return [
    ...Array.from(named, ([, , link = '']) => unescapeXml(link)),
    ...Array.from(articles, ([, html = '']) => linksInHtml(unescapeXml(html))).flat(),
  ];
}

/** Replaces the entities that a feed may contain by their characters. */
export function unescapeXml(text: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => named[name] ?? '');
}
