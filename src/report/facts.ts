import type { Version } from '../load/article-version.ts';
import type { ListedRow } from '../load/rows.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { timeOf } from '../shared/dates.ts';

/** The further fields of an article or a row. */
export type Fields = Readonly<Record<string, unknown>>;

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

/** What a load has seen of the articles of a service, which it has read for it. */
export interface SeenService {
  /** By id: the further fields of the articles that the site can show, as its schema receives them. */
  fields: ReadonlyMap<string, Fields>;
  /** The names of fields of entries: the package's own fields, and the fields that the schema of the site takes. */
  taken: ReadonlySet<string>;
  /** Whether the collection has entries of the loader `with`, such as local files. */
  hasOtherEntries: boolean;
}

/** What a load has seen, and what follows from it. */
export type Facts = ReturnType<typeof factsOf>;

/** Returns the facts on which the rows of the table depend. */
export function factsOf(seen: Seen) {
  const { versions, rows, options } = seen;
  const { changedBy = undefined } = typeof options.rows === 'object' ? options.rows : {};
  const listed = rows.filter(({ id }) => versions.has(id));
  return {
    ...seen,
    rendered: [...versions.values()].flatMap((version) => ('leftOut' in version ? [] : version)),
    /** The field that `rows.changedBy` names. */
    changedBy,
    /** The rows of articles. */
    listed,
    /** The rows that are not whole articles. Unless an option says what they prove, each load requests these articles. */
    partial: listed.filter(({ id }) => !versions.get(id)?.article.rowIsWhole),
  };
}

/** Returns the name of a time by which rows may show changes of their articles: articles and rows have the same. */
export function findProvingField(
  rows: readonly ListedRow[],
  { fields }: SeenService,
): string | undefined {
  const compared = rows.filter(({ id }) => fields.has(id));
  const isSameTime = (name: string) =>
    compared.every(
      ({ id, extra }) => timeOf(extra[name]) && extra[name] === fields.get(id)?.[name],
    );
  return Object.keys(compared[0]?.extra ?? {}).find(
    (name) => /^\w+$/.test(name) && /updat|modif|chang/i.test(name) && isSameTime(name),
  );
}
