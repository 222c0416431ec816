import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeHistory } from '../../src/redirects/history.ts';
import { pageOf } from '../../src/redirects/pages.ts';
import { ofCollection } from '../../src/redirects/published.ts';
import { isPublished, origin, rankOf, type State, type Version } from './service.ts';
import {
  dateOf,
  isLeftOut,
  isWithheld,
  type Outcome,
  type Output,
  type ShownEntry,
  type World,
} from './world.ts';

/** A promise that the world shows to be broken. */
export class Violation extends Error {}

export function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Violation(message);
}

type SiteFacts = Pick<LoadFacts, 'isPreview' | 'leavesOut'>;

export interface LoadFacts {
  /** Whether drafts are shown. */
  isPreview: boolean;
  /** Whether `transform` leaves out some articles. */
  leavesOut?: boolean | undefined;
  /** Whether nothing disturbs the load: no trouble, no change meanwhile, no accident. */
  isQuiet: boolean;
  /** Whether file operations failed. */
  hasDiskFault: boolean;
  isOffline: boolean;
  /** Whether a local cover may be missing. @default false */
  mayLackCovers?: boolean;
}

/** Judges the result of a load (promises P1, P2, P6 and P7). */
export function judgeLoad(world: World, outcome: Outcome, loadFacts: LoadFacts): void {
  const { status, window, project } = outcome;
  const isSaid = outcome.warnings.some((text) => /^(?:Cover|\d+ covers) /.test(text));
  const mayLackCovers = world.settings.covers === 'local' && isSaid;
  const facts = { ...loadFacts, mayLackCovers };
  const now = window.at(-1) ?? new Map();
  const remembered = world.memory.mirror.get(world.mirrorOf(project));
  const known = Array.isArray(remembered)
    ? remembered.map((state) => world.part(state))
    : remembered;
  if (status === 'failed') {
    demand(outcome.isUnchanged, 'a failed load changed the entries');
    demand(mayFail(world, outcome, facts), `a load failed: ${outcome.error?.stack}`);
    return;
  }
  if (status === 'nothing') {
    demand(outcome.isUnchanged, 'a load without articles changed the entries');
    demand(
      known === undefined || known === 'unknown',
      'a load found no mirror, although there is one',
    );
    return;
  }
  for (const entry of outcome.entries) {
    judgeEntry(world, entry, outcome, facts);
    const hasRank = (state: State) => {
      const version = state.get(entry.id);
      return version !== undefined && rankOf(version) !== undefined;
    };
    const isKnown = Array.isArray(known) && [...known, ...outcome.whole].every(hasRank);
    demand(!isKnown || entry.rank !== undefined, `${entry.id} lost the field that its row had`);
  }
  judgeSlugs(outcome, world);
  const shown = new Set(outcome.entries.map(({ id }) => id));
  if (status === 'kept') {
    if (!Array.isArray(known)) return;
    const fits = known.some((state) => isExactly(outcome.entries, state, facts));
    demand(
      fits,
      `a kept load shows ${describe(outcome.entries)}, and the last good load was ${known
        .map((state) => describeState(state))
        .join(' or ')}`,
    );
    return;
  }
  if (facts.isQuiet && ![...now.values()].some(({ isBroken }) => isBroken)) {
    demand(
      isExactly(outcome.entries, now, facts),
      `a build shows ${describe(outcome.entries)}, and the service has ${describeState(now)}`,
    );
    const isOfDamage = (text: string) =>
      (known === 'unknown' || world.memory.isDamaged) &&
      /is not used, because|has spoilt lines/.test(text);
    const { rows } = world.settings;
    const { rows: listed } = world.service.manner;
    const lacksField = typeof rows === 'object' && listed === 'summary';
    const isOfField = (text: string) => lacksField && text.startsWith('No row has the field');
    // With best effort, a history that cannot be read is a warning.
    const lacksHistory = world.hidesHistory && !world.lacksHistory;
    const isOfHistory = (text: string) =>
      lacksHistory && text.startsWith('The history of paths could not be read');
    const slugs = new Set(outcome.entries.map(({ wanted }) => wanted));
    const isOfSlug = (text: string) => / both have the slug "/.test(text);
    const isSaidOfSlugs = outcome.warnings.some(isOfSlug);
    demand(
      isSaidOfSlugs === slugs.size < outcome.entries.length,
      'articles have other slugs than their own, and nothing says so',
    );
    const isExpected = (text: string) =>
      [isOfDamage, isOfField, isOfHistory, isOfSlug].some((isOf) => isOf(text));
    const warnings = outcome.warnings.filter((text) => !isExpected(text));
    demand(warnings.length === 0, `a quiet load warns: ${warnings.join('\n')}`);
    // The slugs are written after the index, as far as the disk allows.
    if (!facts.hasDiskFault) world.memory.isDamaged = false;
    for (const entry of outcome.entries) {
      judgeImages(world, entry);
      const version = now.get(entry.id);
      const rank = version && rankOf(version);
      demand(entry.rank === rank, `${entry.id} has the rank ${entry.rank}, and its row ${rank}`);
    }
    const last = Array.isArray(known) && known.length === 1 ? known[0] : undefined;
    const built = world.memory.shown.get(world.mirrorOf(project)) ?? [];
    const before = built.filter((id) => last && isIn(last, id, facts));
    const isRefused = lacksMost(before, now, facts) && !world.newest;
    demand(world.settings.allowRemoval || !isRefused, 'most articles disappeared at once');
    const ordered = outcome.entries.toSorted((a, b) => b.position - a.position).map(({ id }) => id);
    const wanted = [...now.keys()].filter((id) => shown.has(id));
    demand(ordered.join() === wanted.join(), `the order is ${ordered}, and should be ${wanted}`);
  }
  // Without an order, or with pages of several ages, any articles may be the newest. Pages on demand show the others.
  const { isLacking, troubles } = world.service;
  const isOrdered = world.service.isOrdered && !troubles.has('lagging') && !isLacking;
  if (world.newest && !isOrdered) return;
  // Nothing disappears without proof.
  const before = Array.isArray(known) ? known : [];
  const isOnlyLacking = isLacking && troubles.size === 1 && !facts.hasDiskFault;
  // Without a mirror, the published history, which builds read, names the articles that a listing may lack.
  const isRead = known === undefined && isOnlyLacking && !facts.isPreview;
  const published = isRead ? world.lastRead?.history : undefined;
  const publicIds = new Set(slugsIn(published, world.nameOf(project)).map(([id]) => id));
  const unnamed: string[] = [];
  for (const id of now.keys()) {
    // The earlier version of an article that is bad now stays.
    const isSteady = window.every((state) => {
      const version = state.get(id);
      return version !== undefined && isWanted({ ...version, isBroken: false }, facts);
    });
    if (!isSteady || shown.has(id)) continue;
    const wasShown = before.length > 0 && before.every((state) => isIn(state, id, facts));
    demand(!wasShown, `${id} disappeared, although the service has it`);
    const isUsable = window.every((state) => isIn(state, id, facts));
    const wasPublic = publicIds.has(id) && isUsable;
    demand(!wasPublic, `${id} disappeared without a mirror, although the service has it`);
    // The pages of a listing that has no order and changes can fit together by chance. A listing may lack what is new.
    const isVisible = (world.service.isOrdered || window.length === 1) && !isLacking;
    const isNamed = (text: string) => /may be missing/.test(text) || text.includes(`"${id}"`);
    if (isVisible && !outcome.warnings.some(isNamed)) unnamed.push(id);
  }
  // A warning names the first 20 articles, and counts the others.
  const counted = outcome.warnings.map((text) => Number(/" and (\d+) more:/.exec(text)?.[1] ?? 0));
  const rest = counted.reduce((sum, count) => sum + count, 0);
  demand(unnamed.length <= rest, `${unnamed} are missing, and nothing says so`);
}

/** Judges that each article has its own slug, or the one that its title gives, unless another one has it. */
function judgeSlugs({ entries, project }: Outcome, world: World): void {
  const owners = new Map(entries.map(({ id, slug }) => [slug, id]));
  const all = entries.map(({ slug }) => slug);
  demand(owners.size === entries.length, `two articles have one slug: ${all}`);
  // An article that the schema refuses may have the slug, and no page.
  if (
    world.service.states[project].some((state) =>
      [...state.values()].some(({ isBroken }) => isBroken),
    )
  )
    return;
  for (const { id, slug, wanted } of entries) {
    const isRight = slug === wanted || owners.has(wanted);
    demand(isRight, `${id} has the slug ${slug}, although no article has ${wanted}`);
  }
}

function mayFail(world: World, outcome: Outcome, facts: LoadFacts): boolean {
  const { code, window, project } = outcome;
  const known = world.memory.mirror.get(world.mirrorOf(project));
  if (code === undefined) return false;
  if (facts.hasDiskFault && /^mirror-un/.test(code)) return true;
  if (code === 'history-unavailable') return world.lacksHistory && !facts.isOffline;
  if (code === 'mass-removal')
    return !facts.isQuiet || facts.isOffline || mayBeRefused(world, outcome, facts);
  if (facts.isOffline && code === 'invalid-articles')
    return known === 'unknown' || world.settings.failsOnImages === true;
  if (facts.isOffline) return code === 'mirror-empty' && !Array.isArray(known);
  if (!facts.isQuiet) return true;
  return (
    code === 'invalid-articles' &&
    window.some((state) => [...state.values()].some(({ isBroken }) => isBroken))
  );
}

/** Whether a load may refuse what the service has: no article to show, or too few of those that the mirror has. */
export function mayBeRefused(
  world: World,
  { project, whole }: Pick<Outcome, 'project' | 'whole'>,
  facts: SiteFacts,
): boolean {
  const shownIn = (state: State) => [...state.keys()].filter((id) => isIn(state, id, facts));
  const known = world.memory.mirror.get(world.mirrorOf(project)) ?? [];
  const built = world.memory.shown.get(world.mirrorOf(project)) ?? [];
  const earlier = known === 'unknown' ? world.service.states[project] : known;
  // The published site may be that of another project.
  const published = slugsIn(world.lastRead?.history, world.nameOf(project)).map(([id]) => id);
  const isRefused = (state: State) =>
    shownIn(world.part(state)).length === 0 ||
    [new Map(), ...earlier].some((each) =>
      lacksMost([...new Set([...shownIn(each), ...published])], state, facts),
    ) ||
    lacksMost(built, state, facts);
  return !world.settings.allowRemoval && whole.some(isRefused);
}

/** Whether a state lacks more than half of twenty or more articles. */
function lacksMost(before: readonly string[], state: State, facts: SiteFacts): boolean {
  const gone = before.filter((id) => !isIn(state, id, facts));
  return before.length >= 20 && gone.length > before.length / 2;
}

/** Judges that an entry has a local file for each of its images, as the options say. */
function judgeImages({ settings, service, isLate }: World, entry: ShownEntry): void {
  const { id, body, cover, images } = entry;
  const inBody = settings.body === 'local' ? textsOf(body).length - 1 : 0;
  const wanted = inBody + Number(settings.covers === 'local' && cover !== null);
  demand(
    images.length === wanted,
    `${id} has the local images ${images}, and should have ${wanted}`,
  );
  const isCurrent = (image: string) => {
    const [path = '', edition] = image.split('#');
    return Number(edition) === (service.editions.get(path) ?? 0);
  };
  demand(!isLate || images.every(isCurrent), `${id} has the outdated images ${images}`);
}

function isWanted(version: Version, { isPreview, leavesOut }: SiteFacts): boolean {
  if (leavesOut && isLeftOut(version)) return false;
  return isPreview ? !version.isBroken : isPublished(version);
}

function isIn(state: State, id: string, facts: SiteFacts): boolean {
  const version = state.get(id);
  return version !== undefined && isWanted(version, facts);
}

/** Each entry is a version that its article once had; without a warning, it has it now. */
function judgeEntry(world: World, entry: ShownEntry, outcome: Outcome, facts: LoadFacts): void {
  const { project, status } = outcome;
  const { states } = world.service;
  const isVersion = (state: State) => isSame(entry, state.get(entry.id), facts);
  const described = `${describe([entry])}, ${entry.when}, edition ${entry.edition}: `;
  demand(states[project].some(isVersion), `${described}the article never was like that`);
  demand(entry.edition === world.settings.edition, `${described}it has the former schema`);
  const isStored = world.settings.bodies !== 'mirror';
  demand(entry.isStored === isStored, `${described}its text is not where \`bodies\` says`);
  const entryId = world.settings.entryId === 'slug' ? entry.slug : entry.id;
  demand(entry.entryId === entryId, `${described}its entry has the id ${entry.entryId}`);
  const isDated = (state: State) => {
    const { serial = 0 } = state.get(entry.id) ?? {};
    const when = world.settings.hasTransform ? dateOf(serial).toISOString() : undefined;
    return isVersion(state) && entry.when === when;
  };
  demand(states[project].some(isDated), `${described}the date is wrong`);
  if (status !== 'synced' || outcome.warnings.length > 0) return;
  const isCurrent = (state: State) =>
    isSame(entry, state.get(entry.id), { ...facts, mayLackCovers: false });
  demand(outcome.whole.some(isCurrent), `${described}it is outdated, and nothing says so`);
}

function isSame(entry: ShownEntry, version: Version | undefined, facts: LoadFacts): boolean {
  if (!version || !isWanted(version, facts)) return false;
  return (
    entry.title === version.title &&
    entry.given === version.slug &&
    entry.body === version.content &&
    textsOf(version.content).every((text) => entry.html.includes(text)) &&
    (entry.cover === version.cover || (entry.cover === null && facts.mayLackCovers === true))
  );
}

/** Returns what the HTML of an article has to contain: its text, and the URL of its image. */
export function textsOf(content: string): string[] {
  const [text = '', image] = content.split('\n\n');
  return image ? [text, `src="${origin}${image.slice(4, -1)}"`] : [text];
}

function isExactly(entries: readonly ShownEntry[], state: State, facts: LoadFacts): boolean {
  const wanted = [...state].filter(([, version]) => isWanted(version, facts));
  return (
    wanted.length === entries.length &&
    entries.every((entry) => isSame(entry, state.get(entry.id), facts))
  );
}

/** What readers could reach: paths of each article since it exists, and slugs that were ever public. */
export interface Readers {
  reached: Map<string, Set<string>>;
  public: Set<string>;
}

/**
 * Judges what a build publishes (promise P9): what readers could reach leads to the article, as far as the mirror or
 * the published site has to contain it.
 */
export function judgeOutput(
  output: Output,
  entries: readonly ShownEntry[],
  {
    name,
    isUncertain,
    folder,
    readers,
    others,
    isKnown,
    mayExist,
    isNewestOnly,
    hasRedirects,
  }: {
    /** The name of the collection, and the folder of its pages. */
    name: string;
    folder: string;
    /** Whether the history does not say which of two articles had a slug first. */
    isUncertain: boolean;
    readers: Readers;
    /** The slugs that were public in other collections: a collection may continue the history of another one. */
    others: ReadonlySet<string>;
    /** Whether the service may have had an article during the load. */
    mayExist: (id: string) => boolean;
    isKnown: (id: string, slug: string) => boolean;
    /** Whether the build has the newest articles only. */
    isNewestOnly: boolean;
    hasRedirects: boolean;
  },
): void {
  const current = new Map(entries.map(({ id, slug }) => [id, slug]));
  const wanted = new Map(entries.map((entry) => [entry.id, entry.wanted]));
  const owned = new Set(current.values());
  const published = slugsIn(output.history, name);
  for (const [id, paths] of readers.reached) {
    const slug = current.get(id);
    for (const from of paths) {
      const [former, to] = [lastSegment(from), `${folder}/${slug}`];
      if (!hasRedirects && from !== to) continue;
      // Another article may take a slug that this one has left.
      const isLeft = isUncertain || wanted.get(id) !== former;
      if (former !== slug && owned.has(former) && isLeft) continue;
      if (slug === undefined || isWithheld(slug) || !isKnown(id, former)) continue;
      const isPassedOn = published.some(([other, had]) => {
        if (other === id || !had.includes(former)) return false;
        const its = current.get(other);
        // Older articles have their pages on demand.
        return its === undefined ? isNewestOnly : leadsTo(output, from, `${folder}/${its}`);
      });
      if (isUncertain && isPassedOn) continue;
      demand(output.pages.has(from), `/${from}/ of ${id} is 404`);
      // Both collections have articles with the same slugs, so a page of a former folder may be of either.
      const isMoved = from !== `${folder}/${former}`;
      const leadsToEither = isMoved && output.pages.get(from)?.includes('url=/');
      demand(
        from === to || leadsTo(output, from, to) || leadsToEither === true,
        `/${from}/ does not lead to /${to}/ of ${id}`,
      );
    }
  }
  const isPublic = (slug: string) => readers.public.has(slug) || others.has(slug);
  for (const [id, slugs] of published) {
    demand(mayExist(id), `the published history contains ${id}, which is gone`);
    for (const slug of slugs) demand(isPublic(slug), `the history contains ${slug}`);
  }
  for (const path of output.pages.keys()) {
    const [, slug = ''] = path.split(`${folder}/`);
    if (path !== `${folder}/${slug}` || slug.includes('/')) continue;
    const isOurs = owned.has(slug) || isPublic(slug);
    demand(isOurs, `/${path}/ was never public`);
  }
}

/** Returns the last segment of a path, which is the slug of its page. */
export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns whether a page redirects to another one. */
export function leadsTo({ pages }: Output, from: string, to: string): boolean {
  return pages.get(from)?.includes(`url=/${to}/"`) ?? false;
}

/** Returns the slugs of each article of a collection in a published history, the last one first. */
export function slugsIn(history = '', collection: string): [string, string[]][] {
  const own = ofCollection(decodeHistory(history, '')?.history ?? new Map(), collection);
  return [...own].map(([id, pages]) => {
    const newestFirst = [...pages].toSorted(([, a], [, b]) => b - a);
    return [id, newestFirst.map(([name]) => pageOf(name).slug)];
  });
}

/** Judges that pages that are built after the load have the same entries, even when another process loads. */
export function judgePages({ entries }: Outcome, later: readonly ShownEntry[]): void {
  demand(JSON.stringify(later) === JSON.stringify(entries), 'the entries changed after the load');
}

/** Judges what holds after each step (promises P3 and P10). */
export function judgeWorld({ leaks, cache, memory }: World): void {
  demand(leaks.length === 0, `the key was sent to ${leaks}`);
  for (const [path, text] of memory.foreign) {
    const file = join(cache, path);
    const isThere = existsSync(file) && readFileSync(file, 'utf8') === text;
    demand(isThere, `${path} of another program was changed or removed`);
  }
}

function describe(
  entries: readonly (Pick<ShownEntry, 'id' | 'title' | 'body' | 'cover'> &
    Partial<Pick<Version, 'isBroken'>>)[],
): string {
  const texts = entries.map(({ id, title, body, cover, isBroken }) =>
    `${id} "${title}" "${body}" ${cover ?? ''}${isBroken ? ' (broken)' : ''}`.trim(),
  );
  return `[${texts.sort().join('; ')}]`;
}

function describeState(state: State): string {
  return describe([...state].map(([id, version]) => ({ id, body: version.content, ...version })));
}
