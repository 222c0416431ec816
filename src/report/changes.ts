import { isDraft } from '../client/article.ts';
import type { Version } from '../load/article-version.ts';
import type { Fates } from '../load/fate.ts';
import type { Load } from '../load/load.ts';
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
    const wasShown = known?.slug !== undefined;
    if (fate.is === 'shown') {
      changes.shown += 1;
      const version = versions.get(id);
      if (isShownDraft(version)) drafts.push(id);
      changes[changeOf(wasShown, known?.record === version?.article.record)] += 1;
      continue;
    }
    if (fate.is === 'left out') leftOut[fate.why] = [...(leftOut[fate.why] ?? []), id];
    if (wasShown && fate.is === 'older') changes.older += 1;
    else if (wasShown) removed.push(id);
  }
  return { ...changes, drafts, removed, leftOut };
}

function isShownDraft(version: Version | undefined): boolean {
  return version !== undefined && 'transformed' in version && isDraft(version.transformed);
}

function changeOf(wasShown: boolean, isSame: boolean): 'added' | 'updated' | 'unchanged' {
  if (!wasShown) return 'added';
  return isSame ? 'unchanged' : 'updated';
}
