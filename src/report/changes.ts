import { isDraft } from '../client/article.ts';
import type { Version } from '../sync/article-version.ts';
import type { Fates } from '../sync/fate.ts';
import type { Load } from '../sync/load.ts';
import type { Changes } from './load-report.ts';

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
    if (fate.is === 'left out') {
      leftOut[fate.why] ??= [];
      leftOut[fate.why]?.push(id);
    }
    if (fate.is === 'shown') {
      changes.shown += 1;
      const version = versions.get(id);
      if (version && 'transformed' in version && isDraft(version.transformed)) drafts.push(id);
      const isSame = known?.record === version?.article.record;
      if (known?.slug === undefined) changes.added += 1;
      else changes[isSame ? 'unchanged' : 'updated'] += 1;
    } else if (known?.slug !== undefined) {
      if (fate.is === 'older') changes.older += 1;
      else removed.push(id);
    }
  }
  return { ...changes, drafts, removed, leftOut };
}
