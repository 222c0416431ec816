import { isDeepStrictEqual } from 'node:util';
import { pickEvenly } from '../load/list.ts';
import type { ListedRow } from '../load/rows.ts';
import type { IndexedArticle, StoredArticle } from '../mirror/formats.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { tooManyArticles } from './advice.ts';
import { fieldsOf, timeOfDate } from './fields.ts';
import { describeOrder, orderOf } from './order.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a load has seen of a service. */
export interface SeenService {
  options: ResolvedOptions;
  /** All rows of the listing, in its order. */
  rows: readonly ListedRow[];
  /** The number of characters of the texts in the rows. */
  textLength: number;
  /** By id: the articles that the mirror had before; none in a first load. */
  before: ReadonlyMap<string, IndexedArticle>;
  /** By id: the version of each article that could be read. */
  articles: ReadonlyMap<string, IndexedArticle>;
  /** By id: the further fields of the articles that the site can show, as its schema receives them. */
  fields: ReadonlyMap<string, Fields>;
  /** The names of fields of entries: the package's own, and those that the schema of the site takes. */
  taken: ReadonlySet<string>;
  readArticle(record: string): StoredArticle | undefined;
}

/** The number of articles that are compared with their rows. */
const comparedArticles = 20;
/** From here on, builds need less memory with `bodies: 'mirror'`. */
const manyArticles = 2_000;
/** The number of characters in rows from which smaller rows are worth an option. */
const longTexts = 5_000_000;
/** The share of changed articles up to which their requests cost less than whole rows. */
const fewChanges = 0.1;
const maxFields = 50;
/** In characters. Longer names are not those of fields that a site shows. */
const maxNameLength = 100;

/** Returns which options and fields suit a service and are not set yet, as a text to print; empty for none. */
export function adviceOnService(seen: SeenService): string {
  const options = [orderAdvice(seen), rowsAdvice(seen), bodiesAdvice(seen)].flatMap((text) =>
    text ? `- ${text}` : [],
  );
  const title = 'What suits this service, with options for articles() in astro.config:';
  return [...(options.length > 0 ? [title, ...options] : []), ...fieldsAdvice(seen)].join('\n');
}

function orderAdvice({ rows, fields, options }: SeenService): string | undefined {
  // If the dates of rows contradict the option, a notice says so.
  if (options.newest !== undefined || orderOf(rows)?.isDated) return undefined;
  // Rows may lack the date that their articles have.
  const shown = rows.filter(({ id }) => fields.has(id));
  const found = orderOf(
    shown.map(({ id, extra }) => ({ id, extra: { ...extra, ...fields.get(id) } })),
  );
  if (!found || found.order === options.order) return undefined;
  return `\`order: '${found.order}'\`: the listing is ${describeOrder(found)}.`;
}

function rowsAdvice(seen: SeenService): string | undefined {
  const { rows, articles, options } = seen;
  const listed = rows.flatMap((row) => {
    const article = articles.get(row.id);
    return article ? { row, article } : [];
  });
  if (listed.length === 0) return undefined;
  const others = listed.filter(({ row, article }) =>
    options.rows === 'whole' ? row.record === undefined : !article.rowIsWhole,
  );
  if (others.length === 0) return wholeRowsAdvice(seen, listed);
  const compared = pairsOf(others, seen);
  const { changedBy = '' } = typeof options.rows === 'object' ? options.rows : {};
  // If no row has the field, a notice says so, and another field may suit.
  if (rows.some(({ extra }) => Object.hasOwn(extra, changedBy)))
    return changedByAdvice(compared, changedBy);
  const problem = others.some(({ row }) => row.record === undefined)
    ? 'rows are summaries'
    : 'rows differ from their articles';
  const effect = `${problem}, so each load requests ${others.length} of ${listed.length} articles`;
  const field = provingField(compared);
  if (field === undefined) {
    return `The ${effect}. A field that changes with every edit, such as \`updated_at\`, in rows and articles would save that.`;
  }
  return `\`rows: { changedBy: '${field}' }\`: ${effect}. If \`${field}\` changes with every edit, only changed ones are requested.`;
}

interface Listed {
  row: ListedRow;
  article: IndexedArticle;
}

/** Returns what saves requests or bytes if each row is the whole article. */
function wholeRowsAdvice(seen: SeenService, listed: readonly Listed[]): string | undefined {
  const { options, textLength, before } = seen;
  const isLong = textLength >= longTexts;
  const size = `${Math.round(textLength / 1_000_000)} MB of texts`;
  const field = isLong ? provingField(pairsOf(listed, seen)) : undefined;
  const small = (name: string) =>
    `\`rows: { changedBy: '${name}' }\` with a \`query\` for such rows`;
  if (options.rows === 'whole') {
    const changed = listed.filter(
      ({ article: { id, record } }) => before.get(id)?.record !== record,
    );
    // Without a mirror, all articles have changed, and whole rows are the cheapest.
    if (field === undefined || changed.length > listed.length * fewChanges) return undefined;
    return `The rows have ${size}, and ${changed.length} of ${listed.length} articles have changed. If the service can list fewer fields, ${small(field)} saves that in each load.`;
  }
  if (isLong && typeof options.rows === 'object') {
    const { changedBy } = options.rows;
    return `\`query\`: each load transfers ${size} in rows, of which \`rows.changedBy\` needs only \`id\` and \`${changedBy}\`, if the service can list fewer fields.`;
  }
  const whole = `\`rows: 'whole'\`: each row is the whole article. It saves the request for each new or changed one: ${listed.length} in a first load.`;
  if (field === undefined) return whole;
  return `${whole} Or, if the service can list fewer fields, ${small(field)}: it saves ${size} in each later load.`;
}

/** Returns the fields of some articles and of their rows. */
function pairsOf(listed: readonly Listed[], { readArticle }: SeenService): Pair[] {
  return pickEvenly(listed, comparedArticles).flatMap(({ row, article }) => {
    const stored = readArticle(article.record);
    return stored ? { row: row.extra, article: stored.extra } : [];
  });
}

/** Says how many articles are requested in each load, although `rows.changedBy` is set. */
function changedByAdvice(compared: readonly Pair[], field: string): string | undefined {
  const { length } = compared.filter((pair) => !isEqualIn(pair, field));
  if (length === 0) return undefined;
  return `\`rows.changedBy\`: ${length} of ${compared.length} compared articles lack the field, or have another value than their row, so each load requests them.`;
}

interface Pair {
  row: Fields;
  article: Fields;
}

/** Returns the field that may show changes of articles, by its name and values: a time rather than a number. */
function provingField(compared: readonly Pair[]): string | undefined {
  const names = Object.keys(compared[0]?.row ?? {}).filter(
    (name) => /^\w+$/.test(name) && /updat|modif|chang|version|revision/i.test(name),
  );
  const candidates = names.filter((name) => compared.every((pair) => isEqualIn(pair, name)));
  const isTime = (name: string) => compared.every(({ row }) => timeOfDate(row[name]) !== undefined);
  // A version that is the same in all rows may be that of the API.
  const differs = (name: string) =>
    new Set(compared.map(({ row }) => JSON.stringify(row[name]))).size > 1;
  return candidates.find(isTime) ?? candidates.find(differs);
}

/** Returns whether an article and its row have the same value of a field, and not none. */
function isEqualIn({ row, article }: Pair, name: string): boolean {
  return Boolean(row[name]) && isDeepStrictEqual(row[name], article[name]);
}

function bodiesAdvice({ articles, options }: SeenService): string | undefined {
  const { size } = articles;
  // With more articles, a notice says so.
  if (options.bodies === 'mirror' || size < manyArticles || size >= tooManyArticles)
    return undefined;
  return `\`bodies: 'mirror'\`: ${size} articles need much memory in Astro's content store. Pages then draw texts with \`<ArticleBody>\`.`;
}

function fieldsAdvice({ fields, taken, articles }: SeenService): string[] {
  // Pages have the cover as `cover_image`.
  const repeatsCover = (name: string) =>
    Array.from(fields).every(
      ([id, { [name]: value = null }]) => value === null || value === articles.get(id)?.cover,
    );
  const found = fieldsOf(fields.values()).filter(
    ({ name }) => !taken.has(name) && name.length <= maxNameLength && !repeatsCover(name),
  );
  if (found.length === 0) return [];
  const lines = found
    .slice(0, maxFields)
    .map(
      ({ code, kinds, count }) =>
        `      ${code}, // ${kinds}, in ${count} of ${fields.size} articles`,
    );
  const more = found.length - lines.length;
  return [
    'Further fields, which pages can use with a schema next to `loader` (`z` is of astro/zod, `articleSchema` of astro-articles):',
    '  schema: (context) =>',
    '    articleSchema(context).extend({',
    ...lines,
    ...(more > 0 ? [`      // … and ${more} more`] : []),
    '    }),',
  ];
}
