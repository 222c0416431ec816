import { isDraft } from '../client/article.ts';
import type { Traffic } from '../http/request.ts';
import type { Version } from '../load/article-version.ts';
import type { Fates } from '../load/fate.ts';
import type { LeftOutReason } from '../load/left-out.ts';
import type { Load } from '../load/load.ts';
import type { PrintedNotice } from './say.ts';

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
  notices: readonly PrintedNotice[];
  /** Which options and fields suit the service, in lines; empty or absent for none. */
  advice?: string;
  changes?: Changes;
  traffic?: Traffic | undefined;
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
  // A load that is not committed to the mirror counts the same changes again.
  if (status === 'synced' && added + updated + removed.length > 0) return true;
  // An outage may have another error in each load.
  const withoutOutage = (list: readonly PrintedNotice[]) =>
    JSON.stringify(list.filter(({ code }) => code !== 'outage'));
  return withoutOutage(notices) !== withoutOutage(last.notices);
}

/** Compares the articles that the site shows after a load with those before it. */
export function countChanges(
  fates: Fates,
  versions: ReadonlyMap<string, Version>,
  { before }: Pick<Load, 'before'>,
): Changes {
  const changes = { shown: 0, added: 0, updated: 0, unchanged: 0, older: 0 };
  const drafts: string[] = [];
  const removed: string[] = [];
  const leftOut: Changes['leftOut'] = {};
  for (const [id, fate] of fates) {
    const known = before.get(id);
    const wasShown = known?.slug !== undefined;
    if (fate.is === 'shown') {
      const version = versions.get(id);
      changes.shown += 1;
      changes[changeOf(wasShown, known?.record === version?.article.record)] += 1;
      if (version && 'transformed' in version && isDraft(version.transformed)) drafts.push(id);
      continue;
    }
    if (fate.is === 'left out') leftOut[fate.why] = [...(leftOut[fate.why] ?? []), id];
    if (wasShown && fate.is === 'older') changes.older += 1;
    else if (wasShown) removed.push(id);
  }
  return { ...changes, drafts, removed, leftOut };
}

function changeOf(wasShown: boolean, isSame: boolean): 'added' | 'updated' | 'unchanged' {
  if (!wasShown) return 'added';
  return isSame ? 'unchanged' : 'updated';
}
