import { decodeListed } from '../../client/article.ts';
import type { ListingPage } from '../../client/listing/page.ts';
import { ArticlesRequestError } from '../../errors.ts';
import { callTime } from './budget.ts';
import type { Check, ProbeResult } from './probe.ts';

export async function probePages(check: Check): Promise<ProbeResult[]> {
  const { page, limit } = check;
  const { count, more, rows } = page;
  const received = rows.length;
  if (limit < 500) check.suggested.pageSize = limit;
  const { ignoresLimit, ignoresOffset } = await probeParameters(check);
  const isCut = more === true || (count !== undefined && count > received);

  if (ignoresOffset && ignoresLimit && !isCut) {
    const text = `the whole list at once, ${received} rows: \`limit\` and \`offset\` are ignored`;
    return [{ level: 'ok', text }];
  }
  if (ignoresOffset) {
    const fix = `The service has to support \`offset\`: no article after the first ${received} can be listed.`;
    const level = isCut || received >= limit ? 'wrong' : 'note';
    return [{ level, text: 'every `offset` returns the first rows', fix }];
  }
  const start = `${limit < 500 ? '500 at once are refused; ' : ''}requested ${limit}, received `;
  const end = ignoresLimit ? '; `limit` is ignored' : '';
  const level = ignoresLimit ? 'note' : 'ok';
  if (isCut || (await hasMoreRows(check))) {
    const total = count === undefined ? '' : ` of ${count}`;
    return [{ level, text: `${start}${received}${total}: a page has at most ${received}${end}` }];
  }
  return [{ level, text: `${start}all ${received}${end}` }];
}

/** Requests two parts that lie so far apart that rows which come or go meanwhile make no difference. */
async function probeParameters({ page, limit, budget }: Check) {
  const { length } = page.rows;
  if (length < 4) return { ignoresLimit: length > limit, ignoresOffset: false };
  const part = (offset: number) =>
    budget.client.listPage({ limit: 2, offset }, budget.within(callTime)).catch(noPage);
  const [second, last] = [await part(1), await part(length - 1)];
  const [start, other] = [second, last].map((each) => each && idsOf(each)[0]);
  return {
    ignoresLimit: second !== undefined && second.rows.length > 2,
    ignoresOffset: start !== undefined && start === other,
  };
}

/** Whether rows follow the first page, when the page itself does not say so. */
async function hasMoreRows({ page, limit, budget }: Check): Promise<boolean> {
  const { rows, count, more } = page;
  if (rows.length === 0 || more === false || count !== undefined) return false;
  const next = await budget.client
    .listPage({ limit, offset: rows.length }, budget.within(callTime))
    .catch(noPage);
  const known = new Set(idsOf(page));
  return next !== undefined && idsOf(next).some((id) => !known.has(id));
}

function noPage(error: unknown): undefined {
  if (error instanceof ArticlesRequestError) return undefined;
  throw error;
}

function idsOf({ rows }: ListingPage): string[] {
  const decoded = rows.map((row, index) => decodeListed(row, index + 1));
  return decoded.flatMap((row) => ('problem' in row ? [] : [row.id]));
}

/** Only numeric ids that all rise or all fall show an order. */
export function probeOrder({ listed, suggested }: Check): ProbeResult[] {
  const isNumeric = listed.every(({ id }) => /^\d+$/.test(id));
  const numbers = isNumeric ? listed.map(({ id }) => BigInt(id)) : [];
  const pairs = numbers.slice(1).map((id, index) => [numbers[index] ?? id, id] as const);
  if (pairs.length > 0 && pairs.every(([before, after]) => before > after)) {
    return [{ level: 'ok', text: 'newest first, if higher ids are newer' }];
  }
  if (pairs.length > 0 && pairs.every(([before, after]) => before < after)) {
    suggested.order = 'oldest-first';
    return [{ level: 'ok', text: 'oldest first, if higher ids are newer' }];
  }
  const reason = isNumeric ? 'the ids neither rise nor fall' : 'the ids are not numbers';
  const text = `unknown, because ${listed.length < 2 ? 'there are too few rows' : reason}`;
  const fix =
    "Compare the first rows with the service. If the oldest come first, set `order: 'oldest-first'`.";
  return [{ level: 'unknown', text, fix }];
}
