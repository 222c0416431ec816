/**
 * By id: the slugs under which builds have published an article, oldest first. A history only
 * grows: its parts are joined, and no part replaces another.
 */
export type SlugHistory = ReadonlyMap<string, readonly string[]>;

/** Joins histories. Of each article, the slugs of earlier parameters come first, and each slug once. */
export function joinHistories(...histories: readonly SlugHistory[]): SlugHistory {
  const joined = new Map<string, readonly string[]>();
  for (const history of histories) {
    for (const [id, slugs] of history) {
      joined.set(id, [...new Set([...(joined.get(id) ?? []), ...slugs])]);
    }
  }
  return joined;
}

/** Adds the slugs that a build publishes. The current slug of an article is its last one. */
export function addSlugs(history: SlugHistory, current: ReadonlyMap<string, string>): SlugHistory {
  const updated = new Map(history);
  for (const [id, slug] of current) {
    updated.set(id, [...(updated.get(id) ?? []).filter((other) => other !== slug), slug]);
  }
  return updated;
}

export function historyOf(history: SlugHistory, ids: Iterable<string>): SlugHistory {
  return new Map([...ids].flatMap((id) => [[id, history.get(id) ?? []] as const]));
}
