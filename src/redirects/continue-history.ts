import type { SlugHistory } from './history.ts';

/** A history of a collection that a build does not have, and the share of it that another collection continues. */
interface Candidate {
  name: string;
  slugHistory: SlugHistory;
  matches: number;
}

/**
 * Returns the history that a collection with a new name continues, if there is one: of the articles in it that the
 * collection lists, at least half have the slug that they had last. Equal ids alone prove nothing, because another service
 * may have given them. A collection with a history of its own keeps it, because two languages may have equal slugs.
 *
 * @param own empty for a collection with a new name
 * @param current the slugs of the articles that the collection lists, by id
 * @param absent the histories of collections that the build does not have, by name
 * @returns `from`: the name of the other collection, if there is one
 */
export function continueHistory(
  own: SlugHistory,
  current: ReadonlyMap<string, string>,
  absent: ReadonlyMap<string, SlugHistory>,
): { slugHistory: SlugHistory; from?: string } {
  if (own.size > 0) return { slugHistory: own };
  const candidates = [...absent].flatMap(([name, slugHistory]): Candidate[] => {
    const listed = [...slugHistory].filter(([id]) => current.has(id));
    const matches = listed.filter(([id, slugs]) => lastSlug(slugs) === current.get(id)).length;
    const isContinued = matches > 0 && matches >= listed.length / 2;
    return isContinued ? [{ name, slugHistory, matches }] : [];
  });
  const [best] = candidates.sort(byLikelihood);
  return best ? { slugHistory: best.slugHistory, from: best.name } : { slugHistory: own };
}

/** Compares two candidates: after two changes of the name, the newer history has all slugs of the older one, and more. */
function byLikelihood(a: Candidate, b: Candidate): number {
  return b.matches - a.matches || countSlugs(b.slugHistory) - countSlugs(a.slugHistory);
}

function countSlugs(slugHistory: SlugHistory): number {
  return [...slugHistory.values()].reduce((sum, slugs) => sum + slugs.size, 0);
}

function lastSlug(slugs: ReadonlyMap<string, number>): string | undefined {
  const [last] = [...slugs].sort(([, a], [, b]) => b - a);
  return last?.[0];
}
