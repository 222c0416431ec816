import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPublished, origin, type State, type Version } from './service.ts';
import {
  dateOf,
  isWithheld,
  type Outcome,
  type Output,
  type ShownEntry,
  type World,
} from './world.ts';

/** A promise that the world shows to be broken. */
export class Violation extends Error {}

function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Violation(message);
}

export interface LoadFacts {
  /** Whether drafts are shown. */
  isPreview: boolean;
  /** Whether nothing disturbs the load: no trouble, no change meanwhile, no accident. */
  isQuiet: boolean;
  /** Whether file operations failed. */
  hasDiskFault: boolean;
  isOffline: boolean;
}

/** Judges the result of a load (promises P1, P2, P6 and P7). */
export function judgeLoad(world: World, outcome: Outcome, facts: LoadFacts): void {
  const { status, window, project } = outcome;
  const now = window.at(-1) ?? new Map();
  const remembered = world.memory.mirror[project];
  const known = Array.isArray(remembered)
    ? remembered.map((state) => world.part(state))
    : remembered;
  if (status === 'failed') {
    demand(outcome.isUnchanged, 'a failed load changed the entries');
    demand(mayFail(outcome, facts, Array.isArray(known)), `a load failed: ${outcome.error?.stack}`);
    return;
  }
  for (const entry of outcome.entries) judgeEntry(world, entry, outcome, facts);
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
  if (status === 'nothing') {
    demand(
      known === undefined || known === 'unknown',
      'a load found no mirror, although there is one',
    );
    return;
  }
  if (facts.isQuiet && ![...now.values()].some(({ isBroken }) => isBroken)) {
    demand(
      isExactly(outcome.entries, now, facts),
      `a build shows ${describe(outcome.entries)}, and the service has ${describeState(now)}`,
    );
    demand(outcome.warnings.length === 0, `a quiet load warns: ${outcome.warnings.join('\n')}`);
    const ordered = outcome.entries.toSorted((a, b) => b.position - a.position).map(({ id }) => id);
    const wanted = [...now.keys()].filter((id) => shown.has(id));
    demand(ordered.join() === wanted.join(), `the order is ${ordered}, and should be ${wanted}`);
  }
  // Without an order, any articles may be the newest.
  if (world.settings.newest && !world.service.isOrdered) return;
  // Nothing disappears without proof.
  const before = Array.isArray(known) ? known : [];
  for (const id of now.keys()) {
    const isSteady = window.every((state) => isIn(state, id, facts));
    if (!isSteady || shown.has(id)) continue;
    const wasShown = before.length > 0 && before.every((state) => isIn(state, id, facts));
    demand(!wasShown, `${id} disappeared, although the service has it`);
    // The pages of a listing that has no order and changes can fit together by chance.
    const isVisible = world.service.isOrdered || window.length === 1;
    const isNamed = (text: string) => /may be missing/.test(text) || text.includes(`"${id}"`);
    const isSaid = !isVisible || outcome.warnings.some(isNamed);
    demand(isSaid, `${id} is missing, and nothing says so`);
  }
}

function mayFail({ code, window }: Outcome, facts: LoadFacts, hasMirror: boolean): boolean {
  if (code === undefined) return false;
  if (facts.hasDiskFault && /^mirror-un/.test(code)) return true;
  const shownIn = (state: State) => [...state.values()].filter((each) => isWanted(each, facts));
  if (code === 'mass-removal')
    return !facts.isQuiet || facts.isOffline || window.some((state) => shownIn(state).length === 0);
  if (facts.isOffline) return code === 'mirror-empty' && !hasMirror;
  if (!facts.isQuiet) return true;
  return (
    code === 'invalid-articles' &&
    window.some((state) => [...state.values()].some(({ isBroken }) => isBroken))
  );
}

function isWanted(version: Version, { isPreview }: Pick<LoadFacts, 'isPreview'>): boolean {
  return isPreview ? !version.isBroken : isPublished(version);
}

function isIn(state: State, id: string, facts: LoadFacts): boolean {
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
  const isDated = (state: State) => {
    const { serial = 0 } = state.get(entry.id) ?? {};
    const when = world.settings.hasTransform ? dateOf(serial).toISOString() : undefined;
    return isVersion(state) && entry.when === when;
  };
  demand(states[project].some(isDated), `${described}the date is wrong`);
  if (status !== 'synced' || outcome.warnings.length > 0) return;
  demand(outcome.whole.some(isVersion), `${described}it is outdated, and nothing says so`);
}

function isSame(entry: ShownEntry, version: Version | undefined, facts: LoadFacts): boolean {
  if (!version || !isWanted(version, facts)) return false;
  return (
    entry.title === version.title &&
    entry.body === version.content &&
    textsOf(version.content).every((text) => entry.html.includes(text)) &&
    entry.cover === version.cover
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

/** What readers could reach: slugs of each article since it exists, and slugs that were ever public. */
export interface Readers {
  reached: Map<string, Set<string>>;
  public: Set<string>;
}

/**
 * Judges what a build publishes (promise P9): what readers could reach leads to the article, as far as the mirror or
 * the published site still contained it.
 */
export function judgeOutput(
  { pages, history }: Output,
  entries: readonly ShownEntry[],
  {
    readers,
    isKnown,
    mayBeOlder,
  }: {
    readers: Readers;
    /** Whether the service may have an article that is older than those that the site shows. */
    mayBeOlder: boolean;
    isKnown: (id: string, slug: string) => boolean;
  },
): void {
  const current = new Map(entries.map(({ id, slug }) => [id, slug]));
  const texts = new Map(entries.map(({ id, body }) => [id, body]));
  for (const [id, slugs] of readers.reached) {
    const slug = current.get(id);
    for (const former of slugs) {
      if (slug === undefined || isWithheld(slug) || !isKnown(id, former)) continue;
      const page = pages.get(former);
      demand(page !== undefined, `/articles/${former}/ of ${id} is 404`);
      const isRight = former === slug || page.includes(`url=/articles/${slug}/"`);
      demand(isRight, `/articles/${former}/ does not lead to /articles/${slug}/ of ${id}`);
    }
  }
  for (const [id, slugs] of slugsIn(history)) {
    demand(
      mayBeOlder || current.has(id),
      `the published history contains ${id}, which is not shown`,
    );
    demand(texts.get(id) !== '', `the published history contains the draft ${id}`);
    for (const slug of slugs) demand(readers.public.has(slug), `the history contains ${slug}`);
  }
  const own = new Set(current.values());
  for (const slug of pages.keys()) {
    demand(own.has(slug) || readers.public.has(slug), `/articles/${slug}/ was never public`);
  }
}

/** Returns the slugs of each article in a published history. */
export function slugsIn(history: string | undefined): [string, string[]][] {
  const { collections } = JSON.parse(history ?? '{"collections":[]}');
  return collections.flatMap(([, articles]: [string, [string, string[]][]]) => articles);
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

export function expectDone(isDone: boolean, message: string): void {
  demand(isDone, message);
}

function describe(entries: readonly ShownEntry[]): string {
  const texts = entries.map(({ id, title, body, cover }) =>
    `${id} "${title}" "${body}" ${cover ?? ''}`.trim(),
  );
  return `[${texts.sort().join('; ')}]`;
}

function describeState(state: State): string {
  const texts = [...state].map(([id, { title, content, cover, isBroken }]) =>
    `${id} "${title}" "${content}" ${cover ?? ''}${isBroken ? ' (broken)' : ''}`.trim(),
  );
  return `[${texts.sort().join('; ')}]`;
}
