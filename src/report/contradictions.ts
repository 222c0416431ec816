import type { Notice } from '../errors.ts';
import type { ListedRow } from '../load/rows.ts';
import { joinSome, quote } from '../messages.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { describeOrder, type FoundOrder, orderOf } from './order.ts';

interface Contradiction {
  when(facts: Facts): boolean;
  /** What the listing has, what the option says, and the effect, in one sentence. */
  says(facts: Facts): string;
  remedy(facts: Facts): string;
}

interface Facts extends Pick<ResolvedOptions, 'order' | 'newest'> {
  rows: readonly ListedRow[];
  /** The order that dates show. Ids are too weak a sign for a notice in each load. */
  found: FoundOrder | undefined;
  changedBy: string | undefined;
}

const maxNames = 12;

const contradictions: readonly Contradiction[] = [
  {
    when: ({ found, order }) => found !== undefined && found.order !== order,
    says: ({ found, order }) =>
      `The listing is ${found && describeOrder(found)}, and \`order\` is '${order}', so the site shows its articles in ` +
      'the opposite order.',
    remedy: ({ found, newest }) =>
      newest === undefined
        ? `Set \`order: '${found?.order}'\`.`
        : '`newest` needs the newest articles first: sort the listing with `query`.',
  },
  {
    when: ({ rows, changedBy }) =>
      changedBy !== undefined &&
      rows.some(({ record }) => record === undefined) &&
      !rows.some(({ extra }) => Object.hasOwn(extra, changedBy)),
    says: ({ changedBy = '' }) =>
      `No row of the listing has the field ${quote(changedBy)} that \`rows.changedBy\` names, so each article is ` +
      'requested in every load.',
    remedy: ({ rows }) => `The rows have ${joinNames(rows)}.`,
  },
];

/** Returns what the options say of the listing and its rows contradict. Without rows of a service, nothing. */
export function contradictionsOf(
  rows: readonly ListedRow[],
  { order, newest, rows: option }: ResolvedOptions,
): Notice[] {
  const found = orderOf(rows);
  const changedBy = typeof option === 'object' ? option.changedBy : undefined;
  const facts = { rows, order, newest, changedBy, found: found?.isDated ? found : undefined };
  return contradictions
    .filter(({ when }) => when(facts))
    .map(({ says, remedy }) => ({
      kind: 'other',
      ids: [],
      text: `${says(facts)} ${remedy(facts)}`,
    }));
}

function joinNames(rows: readonly ListedRow[]): string {
  const extra = new Set(rows.flatMap((row) => Object.keys(row.extra)));
  const title = rows.some((row) => row.title !== undefined) ? ['title'] : [];
  return joinSome(['id', ...title, ...[...extra].toSorted()].map(quote), maxNames);
}
