import * as z from 'zod';
import { parseJson } from '../shared/json-value.ts';
import { isSlug } from '../shared/slug.ts';

/**
 * By id: the slugs under which builds have published an article, each with the serial of the build that last took it
 * up. Histories are joined, in any order, and no part replaces another.
 */
export type SlugHistory = ReadonlyMap<string, ReadonlyMap<string, number>>;

type ArticleSlugs = readonly [id: string, slugs: ReadonlyMap<string, number>];

// A file may contain any number as a serial, and builds count on from it.
const lineSchema = z.tuple([z.string(), z.array(z.tuple([z.string(), z.int32().min(1)]))]);

/** Joins histories, also of an article that one part has twice. A slug keeps its highest serial. */
export function joinHistories(...parts: readonly Iterable<ArticleSlugs>[]): SlugHistory {
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

/** Returns a history without the lines of some articles. */
export function withoutArticles(slugHistory: SlugHistory, ids: Iterable<string>): SlugHistory {
  const without = new Map(slugHistory);
  for (const id of ids) without.delete(id);
  return without;
}

/** Returns the lines of some articles of a history. */
export function ofArticles(
  slugHistory: SlugHistory,
  ids: ReadonlyMap<string, unknown>,
): SlugHistory {
  return new Map([...slugHistory].filter(([id]) => ids.has(id)));
}

/**
 * Adds the slugs, by id, under which a build publishes articles. Slugs that an article did not have last get the next
 * serial, so a build that changes no slug changes nothing.
 */
export function withPublished(
  slugHistory: SlugHistory,
  current: ReadonlyMap<string, string>,
): SlugHistory {
  const owners = lastOwners(slugHistory);
  const highest = [...owners.values()].reduce((max, { serial }) => Math.max(max, serial), 0);
  const next = Math.min(highest + 1, 2 ** 31 - 1);
  const taken = [...current].filter(([id, slug]) => {
    const last = owners.get(slug);
    const own = [...(slugHistory.get(id)?.values() ?? [])];
    const hadLast = last?.id === id && own.every((serial) => serial <= last.serial);
    return isSlug(slug) && !hadLast;
  });
  const added = new Map(taken.map(([id, slug]) => [id, new Map([[slug, next]])]));
  return joinHistories(slugHistory, added);
}

/**
 * Returns the former slugs that lead to an article, by its current slug and not by its id. A slug that several articles
 * of the history had belongs to the last one, also if that is not in `current`; a slug that an article has now is not a
 * former one.
 *
 * @param current the slugs of articles, by id
 */
export function formerSlugs(
  slugHistory: SlugHistory,
  current: ReadonlyMap<string, string>,
): SlugHistory {
  const former = new Map([...current.values()].map((slug) => [slug, new Map<string, number>()]));
  for (const [slug, { id, serial }] of lastOwners(slugHistory)) {
    const own = current.get(id);
    if (own !== undefined && !former.has(slug)) former.get(own)?.set(slug, serial);
  }
  return former;
}

/** Returns the article that had each slug last: the article with the highest serial; of several, the first one by id. */
export function lastOwners(slugHistory: SlugHistory): Map<string, { id: string; serial: number }> {
  const owners = new Map<string, { id: string; serial: number }>();
  for (const [id, slugs] of slugHistory) {
    for (const [slug, serial] of slugs) {
      const other = owners.get(slug);
      const order = other ? other.serial - serial || compareText(id, other.id) : -1;
      if (order < 0) owners.set(slug, { id, serial });
    }
  }
  return owners;
}

const firstLine = '{"format":"astro-articles slugs 1"}';
const lastLine = '{"end":true}';
/** Matches the first and the last line, and the markers of a conflict. */
const otherLine = /^(?:$|\{"format":"astro-articles slugs 1"|\{"end"|<{7}|={7}|>{7}|\|{7})/;

/**
 * Encodes a history as lines of JSON, one for each article, in an order that is the same on each machine. Equal histories
 * give equal texts. Formatters of JSON leave such a file unchanged.
 */
export function encodeHistory(slugHistory: SlugHistory): string {
  const lines = [...slugHistory].map(
    ([id, slugs]) => `${JSON.stringify([id, [...slugs].sort()])}\n`,
  );
  return `${firstLine}\n${lines.sort().join('')}${lastLine}\n`;
}

/**
 * Decodes a history, each line by itself, so that a merge by Git costs only the lines that it has spoilt. A conflict has
 * the lines of both branches, which are joined. Returns undefined for JSON of another program.
 *
 * @param place of the file, for `notice`
 */
export function decodeHistory(text: string, place: string) {
  if (parseJson(text) !== undefined && !text.startsWith(firstLine)) return;
  const all = text.split('\n').map((line) => line.trim());
  const lines = all.filter((line) => !otherLine.test(line));
  const articles = lines.flatMap((line) => articleOfLine(parseJson(line)));
  const isWhole = text.startsWith(firstLine) && text.trimEnd().endsWith(lastLine);
  const spoilt = lines.length - articles.length;
  const effect = 'Former URLs of their articles may have no redirects from now on.';
  const notice = spoilt > 0 ? `${place} has spoilt lines: ${spoilt}. ${effect}` : undefined;
  return { slugHistory: joinHistories(articles), notice, isWhole };
}

/** Leaves out texts that are not slugs, because they could make a path lead out of the site. */
function articleOfLine(value: unknown): [ArticleSlugs] | [] {
  const [id = '', pairs = []] = lineSchema.safeParse(value).data ?? [];
  const slugs = pairs.filter(([slug]) => isSlug(slug)).sort(([, a], [, b]) => a - b);
  return slugs.length > 0 ? [[id, new Map(slugs)]] : [];
}

/** Compares texts by code points, as their bytes in UTF-8 do: an order by locale would depend on the machine. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
