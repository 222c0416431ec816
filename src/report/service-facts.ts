import { isDeepStrictEqual } from 'node:util';
import { pickEvenly } from '../load/list.ts';
import type { ListedRow } from '../load/rows.ts';
import type { IndexedArticle, StoredArticle } from '../mirror/formats.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { isUnclearTime, timeOf } from '../shared/dates.ts';
import { type FoundOrder, orderOf } from './order.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a load has seen of a service. */
export interface SeenService {
  options: ResolvedOptions;
  /** All rows of the listing, in its order. */
  rows: readonly ListedRow[];
  /** By id: the version of each article that could be read. */
  articles: ReadonlyMap<string, IndexedArticle>;
  /** By id: the further fields of the articles that the site can show, as its schema receives them. */
  fields: ReadonlyMap<string, Fields>;
  /** The names of fields of entries: the package's own fields, and the fields that the schema of the site takes. */
  taken: ReadonlySet<string>;
  /** Whether the collection has entries of the loader `with`, such as local files. */
  hasOtherEntries: boolean;
  readArticle(record: string): StoredArticle | undefined;
}

/** The facts about a service that its listing shows, and on which advice depends. */
export interface ListingFacts {
  options: ResolvedOptions;
  /** Absent with `newest`, if rows show no order, and if they have dates, which notices compare with `order`. */
  order: FoundOrder | undefined;
  /** The number of articles that have a row and could be read. */
  listed: number;
  /** The number of listed articles that each load requests, because their row is not the whole article. */
  requested: number;
  /** The field that `rows.changedBy` names, if a row has it. If none has, a notice says so, and another field may suit. */
  changedBy: string | undefined;
  /** `changedBy`, or another field of rows that may prove that articles are unchanged. */
  provingField: string | undefined;
  /** The number of articles that were compared with their rows. */
  compared: number;
  /** The number of compared articles whose row has another value of the field of `rows.changedBy`, or no value. */
  unproven: number;
}

/** The number of articles that are compared with their rows. */
const comparedArticles = 20;

/** Returns the facts about a listing that decide which options suit it. */
export function collectFacts(seen: SeenService): ListingFacts {
  const { options, rows, articles } = seen;
  const listed = rows.flatMap((row) => {
    const article = articles.get(row.id);
    return article ? { row, article } : [];
  });
  const requested = listed.filter(({ row, article }) =>
    options.rows === 'whole' ? row.record === undefined : !article.rowIsWhole,
  );
  const compared = readPairs(requested.length > 0 ? requested : listed, seen);
  const changedBy = listedChangedBy(seen);
  return {
    options,
    order: findOrder(seen),
    listed: listed.length,
    requested: requested.length,
    changedBy,
    provingField: changedBy ?? findProvingField(compared),
    compared: compared.length,
    unproven: compared.filter((pair) => changedBy && !isEqualIn(pair, changedBy)).length,
  };
}

function listedChangedBy({ rows, options }: SeenService): string | undefined {
  const { changedBy = undefined } = typeof options.rows === 'object' ? options.rows : {};
  const isListed = rows.some(({ extra }) => Object.hasOwn(extra, changedBy ?? ''));
  return isListed ? changedBy : undefined;
}

function findOrder({ rows, fields, options }: SeenService): FoundOrder | undefined {
  if (options.newest !== undefined || orderOf(rows)?.isDated) return undefined;
  // Rows may lack the date that their articles have.
  const shown = rows.filter(({ id }) => fields.has(id));
  return orderOf(shown.map(({ id, extra }) => ({ id, extra: { ...extra, ...fields.get(id) } })));
}

interface Listed {
  row: ListedRow;
  article: IndexedArticle;
}

/** The fields of an article and of its row. */
interface Pair {
  row: Fields;
  article: Fields;
}

function readPairs(listed: readonly Listed[], { readArticle }: SeenService): Pair[] {
  return pickEvenly(listed, comparedArticles).flatMap(({ row, article }) => {
    const stored = readArticle(article.record);
    return stored ? { row: row.extra, article: stored.extra } : [];
  });
}

/** Returns the field that may show changes of articles, by its name and values: a time rather than a number. */
function findProvingField(compared: readonly Pair[]): string | undefined {
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
function isEqualIn({ row, article }: Pair, name: string): boolean {
  return (row[name] ?? '') !== '' && isDeepStrictEqual(row[name], article[name]);
}
