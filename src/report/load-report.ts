import type { Notice } from '../errors.ts';
import type { Traffic } from '../http/request.ts';
import type { ImageTraffic } from '../images/download.ts';
import type { LeftOutReason } from '../load/left-out.ts';
import { linesOfNotices } from './notice-lines.ts';

/** The result of loading a collection. The terminal, GitHub annotations and the dev toolbar show it. */
export interface LoadReport {
  collection: string;
  /**
   * - `synced`: the collection is what the service has now.
   * - `kept`: it is what the mirror had, because no request was made or none succeeded.
   * - `nothing`: there is neither a usable response nor a mirror.
   */
  status: 'synced' | 'kept' | 'nothing' | 'failed';
  /** Why the load failed, or why it has used the mirror. */
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

/**
 * The numbers of articles that are new, changed and unchanged on the site, and the ids of the articles that it no
 * longer shows.
 */
export interface Changes {
  shown: number;
  /** The ids of the drafts that are shown. */
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

/** Returns whether a report says something that the last report did not say. */
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
  const linesWithoutOutage = (list: readonly Notice[]) =>
    linesOfNotices(list.filter(({ kind }) => kind !== 'outage')).join('\n');
  return linesWithoutOutage(notices) !== linesWithoutOutage(last.notices);
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
