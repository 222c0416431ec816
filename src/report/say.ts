import { describeGroup, type Notice } from '../errors.ts';
import { printable } from '../messages.ts';
import type { Finding, FindingData, SeenFinding } from '../shared/finding.ts';
import type { Facts } from './facts.ts';
import { type Conclusion, judgedTable } from './judged-table.ts';
import { seenTable } from './seen-table.ts';

/** A notice as it is printed. */
export interface PrintedNotice {
  /** The code of its row in the table. */
  code: string;
  /** One line. */
  text: string;
}

/** Puts what a load has seen into words. Findings that say the same of several articles or pictures are one line. */
export function sayFindings(findings: readonly Finding[]): PrintedNotice[] {
  return groupFindings(findings).map((finding) => ({
    code: finding.code,
    text: printable('text' in finding ? sayProblem(finding) : sayFinding(finding)),
  }));
}

/** Makes one finding of those that say the same of several articles or pictures. */
export function groupFindings(findings: readonly Finding[]): Finding[] {
  const groups = Map.groupBy(findings, (finding) =>
    JSON.stringify({ ...finding, ids: undefined, urls: undefined }),
  );
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map((first) => ({
      ...first,
      ids: [...new Set(group.flatMap(({ ids }) => ids))],
      urls: group.flatMap((each) => ('urls' in each ? (each.urls ?? []) : [])),
    })),
  );
}

function sayProblem(problem: Notice): string {
  const reason = describeGroup([problem]).replace(/\.$/, '');
  return `${reason}. The last good version is used, if there is one.`;
}

/** Returns the words of a finding. */
export function sayFinding<C extends keyof FindingData>(finding: SeenFinding<C>): string {
  const { code, ids, urls = [], data } = finding;
  return seenTable[code](data, { ids, urls });
}

/** Puts into words what follows from the facts of a load: notices, and advice as one block, to be copied. */
export function sayFacts(
  facts: Facts,
  place: string,
): { notices: PrintedNotice[]; advice: string } {
  const said = Object.entries(judgedTable).flatMap(([code, judge]) =>
    [judge(facts) ?? []].flat().map((each: Conclusion) => ({ code, ...each })),
  );
  const notices = said.flatMap(({ code, notice }) =>
    notice ? { code, text: printable(notice) } : [],
  );
  const advice = said.flatMap((each) => each.advice ?? []);
  const title = `What suits this service, and is not set yet; options are those of ${place}:`;
  const lines = [title, ...advice.map((text) => `- ${text}`)];
  return { notices, advice: advice.length > 0 ? lines.join('\n') : '' };
}
