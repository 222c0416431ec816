import type { Traffic } from '../client/client.ts';
import { describeGroup, printable } from '../errors.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Notice } from '../shared/notice.ts';
import type { Fates, LeftOutReason } from '../sync/fate.ts';
import type { Version } from '../sync/version.ts';

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
  /** When the load ended, in ms since 1970. */
  at: number;
  /** In ms. */
  duration: number;
  notices: readonly Notice[];
  changes?: Changes;
  traffic?: Traffic | undefined;
}

/** The numbers of articles that are new, changed, unchanged and removed on the site. */
export interface Changes {
  shown: number;
  added: number;
  updated: number;
  unchanged: number;
  removed: number;
  /** Articles that are older than the `newest` ones, and no longer loaded. */
  older: number;
  /** The ids of the articles that are left out, by reason. */
  leftOut: Partial<Record<LeftOutReason, string[]>>;
}

/** Whether a report says something that the one before it did not say. */
export function hasNews(
  { status, notices, changes }: LoadReport,
  last: LoadReport | undefined,
): boolean {
  const { added = 0, updated = 0, removed = 0 } = changes ?? {};
  if (added + updated + removed > 0 || status !== last?.status) return true;
  // The notice of an outage contains the age of the mirror.
  const texts = (list: readonly Notice[]) =>
    textsOf(list.filter(({ kind }) => kind !== 'outage')).join('\n');
  return texts(notices) !== texts(last.notices);
}

/** Compares the articles that the site shows after a load with those before it. */
export function countChanges(
  fates: Fates,
  {
    versions,
    before,
  }: {
    versions: ReadonlyMap<string, Version>;
    before: ReadonlyMap<string, Pick<IndexedArticle, 'shown' | 'digest'>>;
  },
): Changes {
  const changes = { shown: 0, added: 0, updated: 0, unchanged: 0, removed: 0, older: 0 };
  const leftOut: Changes['leftOut'] = {};
  for (const [id, fate] of fates) {
    const known = before.get(id);
    if (fate.is === 'left out') leftOut[fate.why] = [...(leftOut[fate.why] ?? []), id];
    if (fate.is === 'shown') {
      changes.shown += 1;
      const isSame = known?.digest === versions.get(id)?.article.digest;
      if (!known?.shown) changes.added += 1;
      else changes[isSame ? 'unchanged' : 'updated'] += 1;
    } else if (known?.shown) {
      changes[fate.is === 'older' ? 'older' : 'removed'] += 1;
    }
  }
  return { ...changes, leftOut };
}

const noNotice: Notice = { kind: 'other', ids: [], text: '' };

/** Returns the texts of notices, one line each. Notices that say the same of several articles are one. */
export function textsOf(notices: readonly Notice[]): string[] {
  const groups = Map.groupBy(notices, ({ kind, field, text }) =>
    JSON.stringify([kind, field, text]),
  );
  return [...groups.values()].map((group) => {
    const [{ kind, field, text } = noNotice] = group;
    if (kind !== 'article' && kind !== 'field') return printable(text);
    const ids = group.flatMap((notice) => notice.ids);
    const problem = describeGroup(ids.map((id) => ({ id, ...(field && { field }), reason: text })));
    const effect = kind === 'article' ? ' The last good version is used, if there is one.' : '';
    return printable(`${problem}.${effect}`);
  });
}
