// The rules of which articles a site has, and which redirects, as docs/architecture.md states them, without the code in
// `src`. The language Quint was tried: it adds 82 packages, of which the newest do not start, and needs 10 s for the 1,000
// traces of half of this, for which this needs one.

export const ids = ['1', '2', '3'] as const;
export type Id = (typeof ids)[number];

/** Text 0 is empty: a draft. */
export interface Version {
  id: Id;
  title: number;
  text: number;
}

export interface Article extends Version {
  isListed: boolean;
  /** If not, its row and its own URL have a field of a wrong type. One that is not listed is denied (401). */
  isUsable: boolean;
}

/** `isProven`: an equal row proves that it is unchanged. It was fetched without a row otherwise. */
type Known = Version & { isProven: boolean };
/** The slugs of each article. */
export type History = Partial<Record<Id, string[]>>;

interface Mirror {
  isSynced: boolean;
  articles: Known[];
  history: History;
  /** Left out because they were not listed. They cost no request until they are. */
  unlisted: Id[];
  /** Removed from the service. They cost no request until they are listed again, and are published no more. */
  gone: Id[];
}

export interface World {
  /** The newest first. */
  service: Article[];
  /** Whether the site loads the newest two articles only. */
  isNewest: boolean;
  /** The response of the published site to the request for its history. */
  site: 'whole' | 'missing' | 'down';
  /** The history that the site has published. */
  published: History;
  mirror: Mirror;
  /** What Astro's content store shows. */
  store: Version[];
  backup?: Pick<World, 'mirror' | 'store'> | undefined;
  /** What readers have: the slugs of articles, also of those that are gone. */
  reached: History;
  /** The slugs that builds have shown. */
  shown: string[];
}

export interface LoadAction {
  kind: 'load';
  command: 'build' | 'sync' | 'offline';
  /** Whether problems of articles and of the service fail it. */
  isStrict: boolean;
  /** All but the first and the last lack the article `id`: it is counted, the listing has an `Age`, or has it a moment later. */
  reading: 'complete' | 'cut' | 'cached' | 'lagging' | 'down';
  id: Id;
  /**
   * Where the process is killed: at its first request, before it writes, before it writes the index, after that, or before
   * it makes pages. With `deploy`, its pages are not published.
   */
  ends?: 'list' | 'history' | 'index' | 'clean' | 'publish' | 'deploy' | undefined;
  /** Another process syncs: while this one lists, or before it publishes, after the article `id` was renamed. */
  other?: 'listing' | 'publishing' | undefined;
}

/** What the site and the service see of a load. */
export interface Seen {
  outcome: string;
  entries: Version[];
  /** Ids of articles that are requested at their own URLs, and of those that may be, too. */
  requested: Id[];
  allowed: Id[];
  rendered: number;
  /** Of a build: each page and redirect, with the slug of its article, and the published history. */
  pages?: Record<string, string>;
  history?: History;
}

type Loaded = Seen & { known: History; gone: Id[]; commit?: (disk: Mirror) => Mirror };

export const empty: World = {
  ...{ service: [], isNewest: false, site: 'whole', published: {}, store: [] },
  mirror: { isSynced: false, articles: [], history: {}, unlisted: [], gone: [] },
  ...{ reached: {}, shown: [] },
};

export const slugOf = ({ id, title }: Version) => `${['alpha', 'beta', 'gamma'][title]}-${id}`;
const isPublished = ({ text }: Version) => text > 0;
const versionOf = ({ id, title, text }: Version): Version => ({ id, title, text });
const isSame = (a: Version, b: Version) => a.title === b.title && a.text === b.text;
const idsOf = (articles: readonly { id: Id }[]) => articles.map(({ id }) => id);
export const keysOf = (history: History) => ids.filter((id) => history[id]);
const slugsOf = (articles: Version[]): History =>
  Object.fromEntries(articles.map((article) => [article.id, [slugOf(article)]]));

export function join(...parts: History[]): History {
  const slugs = (id: Id) => [...new Set(parts.flatMap((part) => part[id] ?? []))].sort();
  return Object.fromEntries(ids.flatMap((id) => (slugs(id).length > 0 ? [[id, slugs(id)]] : [])));
}

const without = (history: History, gone: readonly Id[]): History =>
  Object.fromEntries(Object.entries(history).filter(([id]) => !gone.includes(id as Id)));

/** The listed ids, and each known one that the listing lacks next to the neighbour that it had. */
function inPlace(listed: readonly Id[], known: readonly Id[]): Id[] {
  const all = [...listed];
  for (const [at, id] of known.entries()) {
    if (all.includes(id)) continue;
    const neighbour = known.slice(0, at).findLast((other) => all.includes(other));
    const next = known.find((other) => listed.includes(other));
    if (neighbour) all.splice(all.indexOf(neighbour) + 1, 0, id);
    else all.splice(next ? all.indexOf(next) : all.length, 0, id);
  }
  return all;
}

const nothing = { entries: [], requested: [], allowed: [], rendered: 0, known: {}, gone: [] };
export const failed = (outcome: string): Loaded => ({ ...nothing, outcome });
const windowOf = <T>(world: World, rows: T[]) => (world.isNewest ? rows.slice(0, 2) : rows);

/** Loads the articles. `opened`: the mirror as it was when the process began. */
export function load(world: World, opened: Mirror, action: LoadAction): Loaded {
  const isOffline = action.command === 'offline';
  if (!isOffline && world.site === 'down') return failed('history-unavailable');
  const published = isOffline || world.site === 'missing' ? {} : world.published;
  const known = join(opened.history, published);
  if (isOffline) return opened.isSynced ? keep(world, opened, known) : failed('mirror-empty');
  const loaded = sync(world, opened, { known, action });
  const isOfService = ['server-error', 'mass-removal'].includes(loaded.outcome);
  if (!isOfService || action.isStrict || !opened.isSynced) return loaded;
  const kept = keep(world, opened, known);
  const { requested, allowed } = loaded;
  const commit = (disk: Mirror) => ({ ...disk, history: join(disk.history, known) });
  return { ...kept, requested, allowed, ...(kept.outcome === 'kept' && { commit }) };
}

/** Shows what the mirror has. */
function keep(world: World, { articles, gone }: Mirror, known: History): Loaded {
  const entries = windowOf(world, articles).filter(isPublished).map(versionOf);
  if (entries.length === 0) return failed('mass-removal');
  return { ...nothing, outcome: 'kept', entries, known, gone };
}

/** Reads the listing. `again`: the ids that a second reading has, a moment later. */
function list(world: World, { reading, id: lacked }: LoadAction) {
  const listed = world.service.filter(({ isListed }) => isListed);
  const lacking = listed.filter(({ id }) => id !== lacked);
  const rows = windowOf(world, reading === 'complete' ? listed : lacking);
  const isCut = reading === 'cut' && lacking.length < listed.length;
  return {
    rows,
    again: idsOf(reading === 'lagging' ? listed : rows),
    isComplete: reading !== 'cached' && !isCut,
    // What is not among the newest articles is older, and may exist.
    isFull: world.isNewest && rows.length === 2,
  };
}

/** Shows what the service has. Absence is only what the article's own URL or two complete readings say. */
function sync(
  world: World,
  opened: Mirror,
  { known, action }: { known: History; action: LoadAction },
): Loaded {
  if (action.reading === 'down') return failed('server-error');
  const { rows, again, isComplete, isFull } = list(world, action);
  if (rows.length === 0 && opened.articles.some(isPublished)) return failed('mass-removal');
  const { articles: before, unlisted } = opened;

  const at = (id: Id) => world.service.find((article) => article.id === id);
  const isUsable = (id: Id) => at(id)?.isUsable === true;

  // Requested are articles whose rows prove nothing, and known ones that are not listed.
  const stored = (id: Id) => before.find((article) => article.id === id);
  const isCurrent = (row: Article) => {
    const former = stored(row.id);
    return row.isUsable && former?.isProven === true && isSame(former, row);
  };
  const isListed = (id: Id) => idsOf(rows).includes(id);
  const isMissed = (id: Id) => unlisted.includes(id) || opened.gone.includes(id);
  const isNew = (id: Id) => !isListed(id) && !stored(id) && !isMissed(id);
  const historic = keysOf(known).filter(isNew);
  const all = isFull ? idsOf(before) : [...idsOf(before), ...historic];
  const absent = isFull ? [] : all.filter((id) => !isListed(id));
  const requested = [...idsOf(rows.filter((row) => !isCurrent(row))), ...absent];
  const missing = absent.filter((id) => !at(id));
  const canBeFound = [...requested, ...idsOf(rows)].some(isUsable);
  const allowed = missing.length > 0 ? idsOf(rows) : [];

  const proven = canBeFound ? missing : [];
  const isStill = (id: Id, missed: Id[]) => missed.includes(id) && !isListed(id);
  const gone = keysOf(known).filter((id) => proven.includes(id) || isStill(id, opened.gone));
  const isLeftOut = (id: Id) =>
    absent.includes(id) &&
    !proven.includes(id) &&
    ((!stored(id) && !isUsable(id)) || (isComplete && !again.includes(id)));
  const present = inPlace(idsOf(rows), all).filter(
    (id) => !proven.includes(id) && !isLeftOut(id) && (isListed(id) || !isFull),
  );
  if (action.isStrict && !present.every(isUsable))
    return { ...failed('invalid-articles'), requested, allowed };
  const articles = present.flatMap((id): Known[] => {
    const now = at(id);
    const former = stored(id);
    if (!now?.isUsable) return former ? [former] : [];
    return [{ ...versionOf(now), isProven: isListed(id) }];
  });
  const entries = articles.filter(isPublished).map(versionOf);
  if (entries.length === 0) return { ...failed('mass-removal'), requested, allowed };
  // As they arrive, so that one that is left out later is rendered, too.
  const rendered = world.service.filter((article) => {
    const former = stored(article.id);
    const isKnown = former !== undefined && isSame(former, article);
    return !isKnown && article.isUsable && isPublished(article) && requested.includes(article.id);
  });
  return {
    ...{ outcome: 'synced', entries, requested, allowed, known, gone },
    rendered: rendered.length,
    commit: (disk) => ({
      ...{ isSynced: true, articles },
      history: join(disk.history, known),
      unlisted: keysOf(known).filter((id) => isLeftOut(id) || isStill(id, unlisted)),
      gone,
    }),
  };
}

/** Builds the pages of a load: each former slug of an article that has a page leads to it. What is gone is not published. */
export function publish({ entries, known, gone }: Pick<Loaded, 'entries' | 'known' | 'gone'>) {
  const current = slugsOf(entries);
  const all = join(known, current);
  const history = without(all, gone);
  const pages: Record<string, string> = {};
  for (const entry of entries) {
    for (const slug of history[entry.id] ?? []) pages[slug] = slugOf(entry);
  }
  return { current, all, history, pages };
}
