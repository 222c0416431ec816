import { isDeepStrictEqual } from 'node:util';
import { type Article, translateHint, withRowFields } from '../../client/article.ts';
import {
  type ArticlesClient,
  type CallOptions,
  createArticlesClient,
} from '../../client/client.ts';
import { readListing } from '../../client/listing/reading.ts';
import { recordOf } from '../../mirror/formats.ts';
import type { ArticlesOptions, ResolvedOptions } from '../../options/options.ts';
import { systemClock } from '../../shared/clock.ts';
import { spread } from '../../sync/list.ts';
import type { Sample } from '../../sync/load.ts';
import { type ListedRow, timeOf } from '../../sync/rows.ts';

/** One line about a service. */
export interface Finding {
  mark: '✓' | '!' | '?';
  text: string;
  /** The options that suit the service, and that the site lacks. */
  set?: ArticlesOptions;
}

/** A service, some of whose rows were read. */
interface Service extends Required<Sample> {
  options: ResolvedOptions;
  client: ArticlesClient;
  call: CallOptions;
}

/** From here on, builds need less memory with `bodies: 'mirror'`. */
const manyArticles = 2_000;
const comparedArticles = 3;
const timeLimit = 60_000;

/** Says what suits a service. It requests what the rows do not show; no failure of the service fails it. */
export async function suggest({
  options,
  rows,
  count = rows.length,
  pageSize = options.pageSize,
}: Sample & { options: ResolvedOptions }): Promise<Finding[]> {
  const call = { deadline: systemClock.now() + timeLimit };
  const client = createArticlesClient(options);
  const service = { options, rows, count, pageSize, call, client };
  const stability = await stabilityFinding(service);
  const findings = [
    orderFinding(service),
    stability,
    await rowsFinding(service, stability.mark === '✓'),
    fieldsFinding(service),
  ];
  if (count < manyArticles || options.bodies === 'mirror') return findings;
  const text = `${count} articles need much memory in Astro's content store.`;
  return [...findings, { mark: '!', text, set: { bodies: 'mirror' } }];
}

const asValue = (error: Error) => error;

function orderFinding({ rows, options }: Service): Finding {
  const found = orderOf(rows);
  if (!found) {
    const todo = "If the oldest articles come first, set `order: 'oldest-first'`.";
    return { mark: '?', text: `Neither dates nor ids of the rows show their order. ${todo}` };
  }
  const text = `The rows are ${found.order.replace('-', ' ')}, by ${found.by}.`;
  if (found.order === options.order) return { mark: '✓', text };
  if (options.newest === undefined) return { mark: '!', text, set: { order: found.order } };
  return { mark: '!', text: `${text} \`newest\` needs the newest articles first.` };
}

/** Returns the order of the rows by a date of theirs, or else by ids that are numbers; undefined if they show none. */
function orderOf(rows: readonly ListedRow[]) {
  const names = Object.keys(rows[0]?.extra ?? {}).filter(
    (name) => /publ|date|creat/i.test(name) && !/updat|modif|chang/i.test(name),
  );
  const columns = names.map((name) => ({
    by: `\`${name}\``,
    values: rows.map(({ extra }) => timeOf(extra[name])?.date),
  }));
  const ids = rows.map(({ id }) => (/^\d{1,15}$/.test(id) ? Number(id) : undefined));
  columns.push({ by: 'ids, if higher ones are newer', values: ids });
  for (const { by, values } of columns) {
    if (values.includes(undefined)) continue;
    const steps = values.slice(1).map((value = 0, index) => value - (values[index] ?? 0));
    const rises = steps.filter((step) => step > 0).length;
    const falls = steps.filter((step) => step < 0).length;
    // A few articles may be pinned.
    if (falls > 9 * rises) return { by, order: 'newest-first' as const };
    if (rises > 9 * falls) return { by, order: 'oldest-first' as const };
  }
  return undefined;
}

/** Reads the rows again, in pages that are cut elsewhere. */
async function stabilityFinding(service: Service): Promise<Finding> {
  const { rows, options, pageSize, client, call } = service;
  const earlierSize = Math.min(pageSize, rows.length);
  const reading = { ...options, earlierSize, newest: rows.length, call };
  const again = await readListing(client, reading).catch(asValue);
  if (again instanceof Error)
    return { mark: '?', text: `The listing could not be read a second time: ${again.message}` };
  if (again.doubt)
    return { mark: '!', text: `The listing is unreliable, because ${again.doubt.reason}.` };
  if (rows.length < 2) return { mark: '?', text: 'One row shows no order.' };
  // An article that was added or removed meanwhile makes no difference.
  const first = rows.map(({ id }) => id).filter((id) => again.ids.includes(id));
  const second = again.ids.filter((id) => first.includes(id));
  if (isDeepStrictEqual(first, second))
    return { mark: '✓', text: 'Pages of another size have the same order.' };
  const todo = 'The service has to list them in an order that never changes, such as by id.';
  return { mark: '!', text: `Pages of another size have another order. ${todo}` };
}

/** Says what the rows are, compared with some of their articles, and which of `rows` suits them. */
async function rowsFinding(
  { rows, options, count, client, call }: Service,
  hasStableOrder: boolean,
): Promise<Finding> {
  const compared = spread(rows, comparedArticles);
  const articles: { row: ListedRow; article: Article; isWhole: boolean }[] = [];
  let problem = 'the service responds 404.';
  for (const row of compared) {
    const article = await client.getArticle(row.id, call).catch(asValue);
    if (article instanceof Error)
      problem = `${article.message.replaceAll(/\n\s+- /g, ' ').replace(/\.$/, '')}.`;
    else if (article) {
      const isWhole = recordOf(withRowFields(article, row)) === row.record;
      articles.push({ row, article, isWhole });
    }
  }
  const summaries = rows.filter(({ record }) => record === undefined).length;
  const suited: ArticlesOptions = options.rows === 'whole' ? {} : { rows: 'whole' };
  if (articles.length === 0) {
    const text = `None of ${compared.length} single articles can be fetched: ${problem}`;
    if (summaries > 0) return { mark: '!', text: `${text} ${translateHint}` };
    return { mark: '!', text: `${text} The rows have all four fields.`, set: suited };
  }
  if (summaries === 0) {
    const shown = `${articles.length} of ${compared.length} fetched ones show`;
    const different = articles.filter(({ isWhole }) => !isWhole).length;
    if (different > 0) {
      const text = `${different} of ${articles.length} articles differ from their rows.`;
      return { mark: '!', text: `${text} \`rows: 'whole'\` would show the rows.` };
    }
    const text = `Each row is the whole article, as ${shown}.`;
    if (articles.length < compared.length) return { mark: '!', text };
    return { mark: '✓', text, set: hasStableOrder ? suited : {} };
  }
  if (typeof options.rows === 'object') {
    const { changedBy } = options.rows;
    const lacking = rows.filter(({ extra }) => !Object.hasOwn(extra, changedBy)).length;
    const isOther = ({ article: { extra }, row }: (typeof articles)[number]) =>
      Object.hasOwn(extra, changedBy) && !isDeepStrictEqual(extra[changedBy], row.extra[changedBy]);
    const other = articles.filter(isOther).length;
    if (lacking + other === 0) return { mark: '✓', text: `All rows have \`${changedBy}\`.` };
    const text = lacking
      ? `${lacking} of ${rows.length} rows lack \`${changedBy}\``
      : `${other} of ${articles.length} articles have another \`${changedBy}\` than their rows`;
    return { mark: '!', text: `${text}, so their articles are requested in every load.` };
  }
  const text = `${summaries} of ${rows.length} rows are summaries.`;
  const candidates = Object.entries(articles[0]?.article.extra ?? {}).filter(
    ([name]) =>
      /updat|modif|chang|version|revision/i.test(name) &&
      new Set(rows.map(({ extra }) => JSON.stringify(extra[name]))).size > 1 &&
      articles.every(({ article: { extra }, row }) => {
        return extra[name] && isDeepStrictEqual(extra[name], row.extra[name]);
      }),
  );
  // A version may be that of the API.
  const [changedBy] = candidates.find(([, value]) => timeOf(value)) ?? candidates[0] ?? [];
  if (!changedBy) {
    const effect = `No field shows changes, so each load requests all ${count} articles.`;
    return { mark: '!', text: `${text} ${effect}` };
  }
  const advice = `\`${changedBy}\` suits if it changes with every edit.`;
  return { mark: '!', text: `${text} ${advice}`, set: { rows: { changedBy } } };
}

function fieldsFinding({ rows }: Service): Finding {
  const names = [...new Set(rows.flatMap(({ extra }) => Object.keys(extra)))].toSorted();
  const list = names.map((name) => `\`${name}\``).join(', ') || 'none';
  return { mark: '✓', text: `Further fields of the rows: ${list}.` };
}
