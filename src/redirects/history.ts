import * as z from 'zod';
import { isSlug } from '../render/slug.ts';
import { parseJson } from '../shared/json-value.ts';

/**
 * By id: the slugs under which builds have published an article, each with the serial of the build that last took it
 * up. Addresses are joined, in any order, and no part replaces another.
 */
export type Addresses = ReadonlyMap<string, ReadonlyMap<string, number>>;

type ArticleAddresses = readonly [id: string, slugs: ReadonlyMap<string, number>];

/** A file may contain any number, and builds count on from it. */
const maxSerial = 1_000_000_000;

const serialSchema = z.int().min(1).max(maxSerial);
const lineSchema = z.tuple([z.string(), z.array(z.tuple([z.string(), serialSchema]))]);

/** Joins addresses, also of an article that one part has twice. A slug keeps its highest serial. */
export function joinAddresses(...parts: readonly Iterable<ArticleAddresses>[]): Addresses {
  const joined = new Map<string, Map<string, number>>();
  for (const part of parts) {
    for (const [id, slugs] of part) {
      const all = joined.get(id) ?? new Map<string, number>();
      for (const [slug, serial] of slugs) all.set(slug, Math.max(serial, all.get(slug) ?? 0));
      joined.set(id, all);
    }
  }
  return joined;
}

/**
 * Adds the slugs, by id, under which a build publishes articles. Those that an article did not have last get the next
 * serial, so a build that changes no slug changes nothing.
 */
export function takeUp(addresses: Addresses, current: ReadonlyMap<string, string>): Addresses {
  const owners = lastOwners(addresses);
  const highest = [...owners.values()].reduce((max, { serial }) => Math.max(max, serial), 0);
  const next = Math.min(highest + 1, maxSerial);
  const hadLast = (id: string, slug: string) => {
    const last = owners.get(slug);
    const all = addresses.get(id)?.values() ?? [];
    return last?.id === id && [...all].every((serial) => serial <= last.serial);
  };
  const taken = [...current].filter(([id, slug]) => isSlug(slug) && !hadLast(id, slug));
  return joinAddresses(
    addresses,
    taken.map(([id, slug]) => [id, new Map([[slug, next]])]),
  );
}

/** By current slug of an article: its former ones, each with its serial. */
export type FormerSlugs = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Returns the former slugs that lead to an article. A slug that several articles had belongs to the one that had it
 * last, also if that one is not in `current`; a slug that an article has now is not a former one.
 *
 * @param current the slugs of articles, by id
 */
export function formerSlugs(
  addresses: Addresses,
  current: ReadonlyMap<string, string>,
): FormerSlugs {
  const former = new Map([...current.values()].map((slug) => [slug, new Map<string, number>()]));
  for (const [slug, { id, serial }] of lastOwners(addresses)) {
    const own = current.get(id);
    if (own !== undefined && !former.has(slug)) former.get(own)?.set(slug, serial);
  }
  return former;
}

/** Returns the article that had each slug last: the one with the highest serial, or the first one of these by id. */
function lastOwners(addresses: Addresses): Map<string, { id: string; serial: number }> {
  const owners = new Map<string, { id: string; serial: number }>();
  for (const [id, slugs] of addresses) {
    for (const [slug, serial] of slugs) {
      const other = owners.get(slug);
      const order = other ? other.serial - serial || compareText(id, other.id) : -1;
      if (order < 0) owners.set(slug, { id, serial });
    }
  }
  return owners;
}

// The text of addresses is JSON with one article a line, in the mirror and on the published site. It is read line by
// line, so a merge by Git costs only the lines that it has spoilt. The line of each article ends in a comma, so that an
// article that is added changes no other line.

const format = 'astro-articles addresses 1';
export const firstLine = `{"format":"${format}","articles":[`;
export const lastLine = 'null]}';
/** Matches the last line, and the markers of a conflict. */
const otherLine = /^(?:$|null|<{7}|={7}|>{7}|\|{7})/;

/** Encodes addresses. Equal addresses give equal texts. */
export function encodeAddresses(addresses: Addresses): string {
  const lines = encodeLines(addresses).map((line) => `${line},\n`);
  return `${firstLine}\n${lines.join('')}${lastLine}\n`;
}

/** Decodes addresses, and counts the lines that are spoilt; undefined for JSON of another program. */
export function decodeAddresses(
  text: string,
): { addresses: Addresses; spoilt: number } | undefined {
  const whole = parseJson(text);
  const file = Object(whole);
  if (whole !== undefined && (file.format !== format || !Array.isArray(file.articles))) return;
  // The site's formatter may have changed the lines.
  const lines: string[] = file.articles?.map((line: unknown) => JSON.stringify(line));
  const articles = (lines ?? text.split(/\r?\n/))
    .filter((line) => line !== firstLine && !otherLine.test(line))
    .map(decodeLine);
  const intact = articles.filter((article) => article !== undefined);
  // A conflict has the lines of both branches, which are joined.
  return { addresses: joinAddresses(intact), spoilt: articles.length - intact.length };
}

/** Returns one line for each article, sorted by id. Equal addresses give equal lines. */
export function encodeLines(addresses: Addresses): string[] {
  const byText = ([a]: [string, unknown], [b]: [string, unknown]) => compareText(a, b);
  return [...addresses]
    .sort(byText)
    .map(([id, slugs]) => JSON.stringify([id, [...slugs].sort(byText)]));
}

/**
 * Decodes a line, which may end with a comma; undefined for a spoilt one. Texts that are not slugs are left out: they
 * could make a path lead out of the site.
 */
export function decodeLine(line: string): [id: string, slugs: Map<string, number>] | undefined {
  try {
    const [id, pairs] = lineSchema.parse(JSON.parse(line.trim().replace(/,$/, '')));
    const slugs = pairs.filter(([slug]) => isSlug(slug)).sort(([, a], [, b]) => a - b);
    return slugs.length > 0 ? [id, new Map(slugs)] : undefined;
  } catch {
    return undefined;
  }
}

/** Compares texts by code points: an order by locale would be another one on another machine. */
export function compareText(a: string, b: string): number {
  for (let at = 0; ; at++) {
    const left = a.codePointAt(at) ?? -1;
    const right = b.codePointAt(at) ?? -1;
    if (left !== right || left === -1) return left - right;
  }
}
