import { isDeepStrictEqual } from 'node:util';
import type { Version } from '../load/article-version.ts';
import { pickEvenly } from '../load/list.ts';
import type { ListedRow } from '../load/rows.ts';
import type { StoredArticle } from '../mirror/formats.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { isUnclearTime, timeOf } from '../shared/dates.ts';
import { orderOf } from './order.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a load has seen. */
export interface Seen {
  options: Pick<ResolvedOptions, 'bodies' | 'images' | 'newest' | 'order' | 'rows' | 'sanitize'>;
  /** The rows of the listing, in its order; none without a request. */
  rows: readonly ListedRow[];
  /** By id. */
  versions: ReadonlyMap<string, Version>;
  /** Whether all is named, however long the list is. */
  isVerbose: boolean;
  /** What advice depends on. Absent in a load without advice. */
  service?: SeenService | undefined;
}

/** What a load has seen of a service, whose articles it has read for it. */
export interface SeenService {
  /** By id: the further fields of the articles that the site can show, as its schema receives them. */
  fields: ReadonlyMap<string, Fields>;
  /** The names of fields of entries: the package's own fields, and the fields that the schema of the site takes. */
  taken: ReadonlySet<string>;
  /** Whether the collection has entries of the loader `with`, such as local files. */
  hasOtherEntries: boolean;
  readArticle(record: string): StoredArticle | undefined;
}

/** What a load has seen, and what follows from it. */
export type Facts = ReturnType<typeof factsOf>;

/** Returns the facts on which the rows of the table depend. */
export function factsOf(seen: Seen) {
  const { versions, rows, options, service } = seen;
  const { changedBy = undefined } = typeof options.rows === 'object' ? options.rows : {};
  return {
    ...seen,
    rendered: [...versions.values()].flatMap((version) => ('leftOut' in version ? [] : version)),
    order: findOrder(seen),
    /** The field that `rows.changedBy` names. */
    changedBy,
    isChangedByListed: rows.some(({ extra }) => Object.hasOwn(extra, changedBy ?? '')),
    service: service && { ...service, ...compareRows(seen, service) },
  };
}

/**
 * Returns the order that dates or ids show.
 *
 * @returns `isCertain`: whether dates of the rows show it
 */
function findOrder({ rows, options, service }: Seen) {
  const found = orderOf(rows);
  if (found?.isDated) return { ...found, isCertain: true };
  if (!service || options.newest !== undefined) return undefined;
  // Rows may lack the date that their articles have.
  const shown = rows.filter(({ id }) => service.fields.has(id));
  const ofFields = orderOf(
    shown.map(({ id, extra }) => ({ id, extra: { ...extra, ...service.fields.get(id) } })),
  );
  return ofFields && { ...ofFields, isCertain: false };
}

/** The number of articles that are compared with their rows. */
const comparedArticles = 20;

/** Compares articles with their rows. */
function compareRows({ rows, versions, options }: Seen, { readArticle }: SeenService) {
  const listed = rows.flatMap((row) => {
    const article = versions.get(row.id)?.article;
    return article ? { row, article } : [];
  });
  // Each load requests the articles of the others.
  const isWhole = ({ row, article }: (typeof listed)[number]) =>
    options.rows === 'whole' ? row.record !== undefined : article.rowIsWhole;
  const requested = listed.filter((each) => !isWhole(each));
  const candidates = requested.length > 0 ? requested : listed;
  const compared = pickEvenly(candidates, comparedArticles).flatMap(({ row, article }) => {
    const stored = readArticle(article.record);
    return stored ? { row: row.extra, article: stored.extra } : [];
  });
  return { listed: listed.length, requested: requested.length, compared };
}

/** The fields of an article and of its row. */
interface Pair {
  row: Fields;
  article: Fields;
}

/** Returns the field that may show changes of articles, by its name and values: a time rather than a number. */
export function findProvingField(compared: readonly Pair[]): string | undefined {
  const names = Object.keys(compared[0]?.row ?? {}).filter(
    (name) => /^\w+$/.test(name) && /updat|modif|chang|version|revision/i.test(name),
  );
  const candidates = names.filter((name) =>
    compared.every((pair) => isEqualIn(pair, name) && !isUnclearTime(pair.row[name])),
  );
  const isTime = (name: string) => compared.every(({ row }) => timeOf(row[name]) !== undefined);
  // A version that is the same in all rows may be the version of the API.
  const differs = (name: string) =>
    new Set(compared.map(({ row }) => JSON.stringify(row[name]))).size > 1;
  return candidates.find(isTime) ?? candidates.find(differs);
}

/** Returns whether an article and its row have the same value of a field, and not none. */
export function isEqualIn({ row, article }: Pair, name: string): boolean {
  return (row[name] ?? '') !== '' && isDeepStrictEqual(row[name], article[name]);
}
