/** Why an article is on the site, or not. Each article that is listed or known has exactly one. */
export type Fate =
  /** On the site: as the service has it, or in an earlier version, or although the listing lacks it. */
  | { is: 'shown'; why?: 'earlier version' | 'not listed' }
  /** Not on the site, but it may come back, so it keeps its history of slugs. */
  | { is: 'left out'; why: LeftOutReason }
  /** With `newest`: the site has newer ones, and a page on demand shows it. */
  | { is: 'older' }
  /** The service no longer has it: its own URL responds 404 or 410, and that of another article does not. */
  | { is: 'gone' };

export type LeftOutReason = 'draft' | 'transform' | 'schema' | 'no usable version' | 'not listed';

/** By id, in the order of the site. */
export type Fates = ReadonlyMap<string, Fate>;

/** What a load has found out about the articles that the listing lacks, and about those that could not be fetched. */
export interface Evidence {
  /** In the order of the listing. */
  listed: readonly string[];
  /** Whether the listing was complete, so that it may prove that an article is not in it. */
  isComplete: boolean;
  /** With `newest`: whether the listing has as many articles as the site loads. What it lacks is then older. */
  isFull: boolean;
  /** A second reading of the listing, at least five seconds after the first one. */
  again?: { ids: ReadonlySet<string>; isComplete: boolean } | undefined;
  /** Ids for which the service responded 404 or 410, twice. */
  missing: ReadonlySet<string>;
  /** Whether it responded with another article. Otherwise, 404 proves nothing. */
  canBeFound: boolean;
}

/**
 * Returns the articles that only a second reading can decide about: those that the listing lacks and that were fetched,
 * and those that it has and that could not be found.
 */
export function undecided(ids: readonly string[], evidence: Evidence): string[] {
  if (evidence.again) return [];
  const listed = new Set(evidence.listed);
  return ids.filter((id) =>
    listed.has(id) ? isMissing(id, evidence) : !evidence.isFull && !isMissing(id, evidence),
  );
}

/**
 * Returns the fate of each article that the service has removed from the site. An article is no longer shown if two
 * complete readings lack it. It is gone if a reading lacks it, and it cannot be found at its own URL.
 */
export function absentFates(ids: readonly string[], evidence: Evidence): Map<string, Fate> {
  const { isComplete, isFull, again } = evidence;
  const listed = new Set(evidence.listed);
  const fates = new Map<string, Fate>();
  for (const id of ids) {
    const isUnlisted = !listed.has(id) || (again !== undefined && !again.ids.has(id));
    if (!listed.has(id) && isFull) fates.set(id, { is: 'older' });
    else if (isUnlisted && isMissing(id, evidence)) fates.set(id, { is: 'gone' });
    else if (!listed.has(id) && isComplete && again?.isComplete && !again.ids.has(id))
      fates.set(id, { is: 'left out', why: 'not listed' });
  }
  return fates;
}

function isMissing(id: string, { missing, canBeFound }: Evidence): boolean {
  return canBeFound && missing.has(id);
}

/** Returns the ids of the articles that are on the site. */
export function shownIds(fates: Fates): Set<string> {
  return new Set([...fates].flatMap(([id, fate]) => (fate.is === 'shown' ? id : [])));
}

/** Describes a fate for `ARTICLES_DEBUG`. */
export function describeFate(fate: Fate): string {
  switch (fate.is) {
    case 'shown':
      return fate.why ? `shown (${fate.why})` : 'shown';
    case 'left out':
      return `not shown: ${fate.why}`;
    case 'older':
      return 'not shown: it is older than the newest articles that the site loads';
    case 'gone':
      return 'gone: its URL responds 404 or 410';
  }
}
