import { describeGroup, type Notice } from '../errors.ts';
import type { Traffic } from '../http/request.ts';
import type { ImageTraffic } from '../images/download.ts';
import { type LeftOutReason, leftOutTexts } from '../load/left-out.ts';
import type { LoadProgress } from '../load/load.ts';
import { joinSome, printable, quote } from '../messages.ts';
import type { Logger } from '../shared/logger.ts';

/** The result of loading a collection. The terminal, GitHub annotations and the dev toolbar show it. */
export interface LoadReport {
  collection: string;
  /**
   * - `synced`: the collection is what the service has now.
   * - `kept`: it is what the mirror had, because no request was made or none succeeded.
   * - `nothing`: there is neither a usable response nor a mirror.
   */
  status: 'synced' | 'kept' | 'nothing' | 'failed';
  /** Why the load failed, or why the service was unavailable. */
  error?: string | undefined;
  /** In ms. */
  duration: number;
  notices: readonly Notice[];
  /** Which options and fields suit the service, in lines; empty or absent for none. */
  advice?: string;
  changes?: Changes;
  traffic?: Traffic | undefined;
  imageTraffic?: ImageTraffic | undefined;
}

/** The numbers of articles that are new, changed and unchanged on the site, and the ids of those that it no longer shows. */
export interface Changes {
  shown: number;
  /** The ids of those shown that are drafts. */
  drafts: string[];
  added: number;
  updated: number;
  unchanged: number;
  removed: string[];
  /** Articles that are older than the `newest` ones, and no longer loaded. */
  older: number;
  /** The ids of the articles that are left out, by reason. */
  leftOut: Partial<Record<LeftOutReason, string[]>>;
}

/** Returns whether a report says something that the one before it did not say. */
export function hasNews(
  { status, notices, changes }: LoadReport,
  last: LoadReport | undefined,
): boolean {
  if (status !== last?.status) return true;
  const { added = 0, updated = 0, removed = [] } = changes ?? {};
  const hasChanges = added + updated + removed.length > 0;
  // A load that is not committed to the mirror counts the same changes again.
  if (status === 'kept' ? !isSameChange(changes, last.changes) : hasChanges) return true;
  // An outage may have another error in each load.
  const texts = (list: readonly Notice[]) =>
    textsOf(list.filter(({ kind }) => kind !== 'outage')).join('\n');
  return texts(notices) !== texts(last.notices);
}

function isSameChange(changes: Changes | undefined, last: Changes | undefined): boolean {
  const text = (each?: Changes) => JSON.stringify([each?.added, each?.updated, each?.removed]);
  return text(changes) === text(last);
}

/** Returns a function that returns whether a report has an equal notice. */
export function noticesIn(report: LoadReport | undefined): (notice: Notice) => boolean {
  const known = new Set(report?.notices.map((notice) => JSON.stringify(notice)));
  return (notice) => known.has(JSON.stringify(notice));
}

const noNotice: Notice = { kind: 'other', ids: [], text: '' };

/** Returns the texts of notices, one line each. Notices that say the same of several articles are one. */
export function textsOf(notices: readonly Notice[]): string[] {
  const groups = Map.groupBy(notices, ({ kind, field, text }) =>
    JSON.stringify([kind, field, text]),
  );
  return [...groups.values()].map((group) => {
    const [{ kind, text } = noNotice] = group;
    if (kind !== 'article' && kind !== 'field') return printable(text);
    const problem = describeGroup(group);
    const effect = kind === 'article' ? ' The last good version is used, if there is one.' : '';
    return printable(`${problem.replace(/\.$/, '')}.${effect}`);
  });
}

/** The number of notices of a load that are printed. GitHub shows no summary that is longer than 1 MiB. */
const maxNotices = 50;
/** The number of ids of left-out and removed articles in a summary. */
const maxIds = 3;

/** Prints the report of a load: each notice, one line with what changed, and advice as one block, to be copied. */
export function printReport(report: LoadReport, logger: Pick<Logger, 'info' | 'warn'>): void {
  for (const text of firstTexts(report.notices)) logger.warn(text);
  const summary = summarise(report);
  if (summary) logger.info(summary);
  if (report.advice) logger.info(report.advice);
}

/**
 * Shows what a load reports on the page of a GitHub Actions run, as one annotation. Does nothing elsewhere. The line
 * bypasses Astro's logger, which writes the time first: GitHub reads commands only at the start of a line.
 */
export function reportToGithub(report: LoadReport, env: NodeJS.ProcessEnv = process.env): void {
  if (env.GITHUB_ACTIONS !== 'true') return;
  const { collection, status, error = '', notices } = report;
  const hasFailed = status === 'failed';
  const texts = hasFailed ? [error] : firstTexts(notices);
  if (texts.length === 0) return;
  const title = escapeData(`Collection "${collection}": ${hasFailed ? 'not loaded' : 'warnings'}`);
  const property = title.replaceAll(':', '%3A').replaceAll(',', '%2C');
  const command = `${hasFailed ? 'error' : 'warning'} title=${property}`;
  process.stdout.write(`::${command}::${escapeData(texts.join('\n'))}\n`);
}

/** Escapes a text as GitHub's toolkit does, because a command is one line. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Returns the texts of the first notices, and how many more there are. */
function firstTexts(notices: readonly Notice[]): string[] {
  const texts = textsOf(notices);
  const more = texts.length - maxNotices;
  return [...texts.slice(0, maxNotices), ...(more > 0 ? [`… and ${more} more.`] : [])];
}

/** Returns the summary of a load, in one line: what has changed in the service since the last load; undefined if it failed. */
export function summarise(
  report: Pick<LoadReport, 'changes' | 'traffic' | 'imageTraffic' | 'duration'>,
) {
  const { changes, traffic, imageTraffic, duration } = report;
  if (!changes) return undefined;
  const { shown, drafts, added, updated, unchanged, removed, older, leftOut } = changes;
  const parts = [
    `${added} added`,
    `${updated} updated`,
    `${unchanged} unchanged`,
    named(removed, 'removed'),
    ...(older > 0 ? [`${older} no longer among the newest`] : []),
  ];
  const others = Object.entries(leftOutTexts).flatMap(([why, text]) => {
    const ids = leftOut[why as LeftOutReason] ?? [];
    return ids.length > 0 ? named(ids, text) : [];
  });
  const requests = plural(traffic?.requests ?? 0, 'request');
  const retries = traffic?.retries ? ` (${plural(traffic.retries, 'retry', 'retries')})` : '';
  const time = `${(duration / 1000).toFixed(1)} s`;
  const marked = drafts.length > 0 ? [named(drafts, 'as drafts')] : [];
  const result = [`${plural(shown, 'article')} shown`, ...marked, ...others].join(', ');
  return `${result}: ${parts.join(', ')}; ${requests}${retries}${describeImages(imageTraffic)}, ${time}`;
}

function describeImages({ requests, bytes }: ImageTraffic = { requests: 0, bytes: 0 }): string {
  if (requests === 0) return '';
  const size =
    bytes < megabyte ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / megabyte).toFixed(1)} MB`;
  return `, ${plural(requests, 'image request')} (${size})`;
}

const megabyte = 1_000_000;

/** Counts articles, and names the first ones. */
function named(ids: readonly string[], what: string): string {
  const names = ids.length > 0 ? ` (${joinSome(ids.map(quote), maxIds)})` : '';
  return `${ids.length} ${what}${names}`;
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Milliseconds before the first line, and between two lines. */
const interval = 5_000;

/**
 * Logs the progress of a load, one line every five seconds. It writes whole lines only, which look the same in a
 * terminal and in a CI log.
 */
export function createProgressLog(log: (line: string) => void, now: () => number) {
  let last = now();
  const progress: LoadProgress = { listed: 0, toFetch: 0, fetched: 0 };

  return (change: Partial<LoadProgress>): void => {
    Object.assign(progress, change);
    const time = now();
    if (time - last < interval) return;
    last = time;
    const { listed, toFetch, fetched } = progress;
    if (toFetch === 0) log(`${listed} articles listed`);
    else log(`${fetched}/${toFetch} articles fetched (${Math.floor((100 * fetched) / toFetch)} %)`);
  };
}
