import { describeGroup, type Notice } from '../errors.ts';
import { printable } from '../messages.ts';

/** The number of notices of a load that are printed. GitHub shows no summary that is longer than 1 MiB. */
const maxNotices = 50;

/** Returns one line for each notice. Notices that say the same of several articles are one line. */
export function linesOfNotices(notices: readonly Notice[]): string[] {
  const groups = Map.groupBy(notices, ({ kind, field, text }) =>
    JSON.stringify([kind, field, text]),
  );
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? printable(lineOfGroup(first, others)) : [],
  );
}

function lineOfGroup(first: Notice, others: readonly Notice[]): string {
  const { kind, text } = first;
  if (kind !== 'article' && kind !== 'field') return text;
  const problem = describeGroup([first, ...others]);
  const effect = kind === 'article' ? ' The last good version is used, if there is one.' : '';
  return `${problem.replace(/\.$/, '')}.${effect}`;
}

/** Returns the lines of the first notices, and how many more there are. */
export function firstLinesOfNotices(notices: readonly Notice[]): string[] {
  const lines = linesOfNotices(notices);
  const more = lines.length - maxNotices;
  return [...lines.slice(0, maxNotices), ...(more > 0 ? [`… and ${more} more.`] : [])];
}
