import { compareText, joinHistories, type SlugHistory } from './history.ts';

/** A history of a collection that a build does not have, and the share of it that another collection continues. */
interface Candidate {
  name: string;
  slugHistory: SlugHistory;
  matches: number;
}

/**
 * Adds to the history of a collection a copy of the history that it continues under another name, if there is one: it has
 * all that is known of the collection, and of its articles that the collection lists, at least half have the slug that they
 * had last. Equal ids alone prove nothing, because another service may have given them.
 *
 * @param own empty for a collection with a new name
 * @param current the slugs of the articles that the collection lists, by id
 * @param absent the histories of collections that the build does not have, by name
 * @returns `from`: the name of the other collection, if something was added
 */
export function continueHistory(
  own: SlugHistory,
  current: ReadonlyMap<string, string>,
  absent: ReadonlyMap<string, SlugHistory>,
): { slugHistory: SlugHistory; from?: string } {
  const candidates = [...absent].flatMap(([name, slugHistory]): Candidate[] => {
    const listed = [...slugHistory].filter(([id]) => current.has(id));
    const matches = listed.filter(([id, slugs]) => lastSlug(slugs) === current.get(id)).length;
    const isContinued = matches > 0 && matches >= listed.length / 2 && hasAll(slugHistory, own);
    return isContinued ? [{ name, slugHistory, matches }] : [];
  });
  const [best] = candidates.sort(byLikelihood);
  if (!best || hasAll(own, best.slugHistory)) return { slugHistory: own };
  return { slugHistory: joinHistories(own, best.slugHistory), from: best.name };
}

/** Compares two candidates: after two changes of the name, the newer history has all slugs of the older one, and more. */
function byLikelihood(a: Candidate, b: Candidate): number {
  return (
    b.matches - a.matches ||
    countSlugs(b.slugHistory) - countSlugs(a.slugHistory) ||
    compareText(a.name, b.name)
  );
}

function countSlugs(slugHistory: SlugHistory): number {
  return [...slugHistory.values()].reduce((sum, slugs) => sum + slugs.size, 0);
}

function lastSlug(slugs: ReadonlyMap<string, number>): string | undefined {
  const [last] = [...slugs].sort(([, a], [, b]) => b - a);
  return last?.[0];
}

/** Returns whether a history has all slugs of another history. */
function hasAll(slugHistory: SlugHistory, others: SlugHistory): boolean {
  return [...others].every(([id, slugs]) =>
    [...slugs.keys()].every((slug) => slugHistory.get(id)?.has(slug)),
  );
}
