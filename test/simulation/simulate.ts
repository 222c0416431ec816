import {
  demand,
  judgeLoad,
  judgeOutput,
  judgePages,
  judgeWorld,
  lastSegment,
  leadsTo,
  mayBeRefused,
  type Readers,
  slugsIn,
} from './judge.ts';
import { isPublished, type Project, type State } from './service.ts';
import { describeStep, drawSteps, ids, quietBuild, type Step } from './steps.ts';
import { isLeftOut, isWithheld, type Outcome, type Output, World } from './world.ts';

/** How often each kind of event happened. */
export type Tally = Record<string, number>;

type Build = Extract<Step, { kind: 'build' }>;

/** Lives through a story, and judges each step. */
class Simulation {
  readonly world = new World();
  readonly readers: Record<Project, Readers> = {
    ...{ main: noReaders(), other: noReaders(), staging: noReaders() },
  };
  readonly tally: Tally;
  /** Articles that the last load showed, although the service no longer had them. */
  #ghosts = new Set<string>();
  /** Projects whose history was lost once, so that it does not say which of two articles had a slug first. */
  readonly #forgetful = new Set<Project>();
  /** The pairs of id and slug that a collection continues. */
  readonly #copied = new Set<string>();
  /** Whether the cache is lost or of an older build, and no build has read the published history since. */
  #isOlder = false;
  /** Articles that are older than those of the last deployed build. */
  readonly #older = new Set<string>();

  constructor(tally: Tally) {
    this.tally = tally;
    for (const project of ['main', 'other', 'staging'] as const) {
      for (const id of ids.slice(0, 3)) {
        this.world.service.edit({ act: 'write', id, title: 0 }, project);
      }
    }
  }

  #count(event: string): void {
    this.tally[event] = (this.tally[event] ?? 0) + 1;
  }

  async perform(step: Step): Promise<void> {
    const { world } = this;
    if (await this.#act(step)) this.#count(step.kind === 'build' ? `${step.how} build` : step.kind);
    judgeWorld(world);
  }

  /** Performs a step; false when it has no effect. */
  async #act(step: Step): Promise<boolean> {
    const { world } = this;
    switch (step.kind) {
      case 'edit':
        return world.service.edit(step.edit, step.project);
      case 'manner':
        Object.assign(world.service.manner, step.manner);
        return true;
      case 'trouble':
        world.service.troubles = new Set(step.troubles);
        return true;
      case 'site':
        world.siteStatus = step.status;
        return true;
      case 'build':
        return this.#build(step);
      case 'dev':
        return this.#dev(step);
      case 'sync':
        return this.#sync(step.accident);
      case 'lose':
        if (step.what === 'cache') world.loseCache();
        else world.memory.stores = {};
        this.#isOlder ||= step.what === 'cache';
        return true;
      case 'restore':
        this.#ghosts.clear();
        this.#isOlder = true;
        return world.restoreCache(step.back, step.isCheckout);
      case 'configure':
        Object.assign(world.settings, step.change);
        world.writeSchema();
        return true;
      case 'wait':
        world.clock.shift += step.days * 86_400_000;
        return true;
      case 'foreign':
        return world.addForeignFile(step.name);
      case 'flood':
        return world.service.flood();
      case 'corrupt':
        return world.corrupt(step.nth, step.how);
    }
  }

  async #build({ how, accident, edits, overtaken, isAway }: Build): Promise<boolean> {
    const { world } = this;
    const first = how === 'staging' ? 'staging' : 'main';
    const projects: Project[] = isAway && first === 'main' ? [] : [first];
    if (first === 'main' && world.settings.otherFolder) projects.push('other');
    const isQuiet = world.isQuiet && edits.length === 0;
    const isOffline = how === 'offline';
    const isPreview = how === 'preview';
    const { leavesOut } = world.settings;
    const facts = { isQuiet, isOffline, isPreview, leavesOut, hasDiskFault: Boolean(accident) };
    world.exitProcess();
    const context = await world.openContext('build');
    const optionsFor = (project: Project) => ({
      ...world.optionsFor(project, accident),
      ...(isPreview && { drafts: 'include' as const }),
      ...(how === 'keep' && { failOn: [] }),
    });
    const script = Map.groupBy(edits, ({ at }) => at);
    const during = new Map([...script].map(([at, list]) => [at, list.map(({ edit }) => edit)]));
    const outcomes: Outcome[] = [];
    let failure: Error | undefined;
    let output: Output | undefined;
    let isSynced = false;
    const syncToo = async () => !(await world.sync(first).catch((error: Error) => error));
    if (typeof overtaken === 'number' && !accident) {
      const run = async () => {
        if (await syncToo()) this.#count('two loads at once');
        this.#addPossibleState(first, isQuiet);
      };
      world.interruption = { at: overtaken, run };
    }
    await world.during(accident, async () => {
      for (const project of projects) {
        const more = { project, isOffline, ...(project === first && { edits: during }) };
        const loaded = await world.load(context, optionsFor(project), more);
        outcomes.push(loaded);
        if (loaded.status === 'failed' || world.isDead) return;
        if (first === 'main' && !isPreview) this.#passSlugsOn(loaded);
      }
      if (overtaken === 'publishing') {
        world.service.edit({ act: 'rewrite', id: 'a1', title: 0 }, first);
        isSynced = await syncToo();
        const [loaded] = outcomes;
        if (loaded?.project === first) judgePages(loaded, await world.readEntries(context));
      }
      output = await world.publish(context, outcomes, isOffline).catch((error) => {
        failure = error;
        return undefined;
      });
    });
    world.interruption = undefined;
    if (world.isDead) {
      this.#count('killed build');
      // Astro saves its store soon after each change.
      if (accident?.kind === 'refused') {
        world.memory.stores.build = context.storeText();
        this.#count('entry that is refused');
      }
      for (const project of projects) {
        const outcome = outcomes.find((each) => each.project === project);
        this.#addPossibleState(project, isQuiet, outcome?.window.at(-1));
      }
      return true;
    }
    for (const outcome of outcomes) {
      judgeLoad(world, outcome, facts);
      this.#count(`${outcome.status} load`);
      if (world.newest) this.#count(`${outcome.status} load of the newest`);
      if (world.settings.translates) this.#count('translated load');
      if (accident?.kind === 'read-only') this.#count('read-only mirror');
      this.#remember(outcome, isQuiet);
      // A build does not compare with `astro dev` and previews, which show drafts.
      if (outcome.status === 'synced' && !isPreview)
        world.memory.shown.set(world.mirrorOf(outcome.project), idsOf(outcome));
      const isReliable = [...world.service.troubles].every((trouble) => trouble === 'changing');
      this.#judgeGhosts(outcome, isReliable);
      if (outcome.code === 'history-unavailable') this.#count('refused build');
    }
    if (isSynced) this.#rememberSync(first);
    // A sync that failed may have committed its articles before.
    else if (overtaken === 'publishing') this.#addPossibleState(first, isQuiet);
    const isFailed = outcomes.some(({ status }) => status === 'failed');
    if (isFailed) return true;
    world.memory.stores.build = context.storeText();
    if (failure) throw failure;
    const isLoaded = outcomes.some(({ status }) => status === 'synced');
    const lacksHistory = world.lacksHistory && !isOffline && isLoaded;
    demand(!lacksHistory, 'a build continued without the history of the site');
    if (!output || first === 'staging') return true;
    this.#judgeSite(output, outcomes, { isQuiet, isOffline, isPreview, hasAccident: !!accident });
    return true;
  }

  /** Judges the output of a build, and deploys it, unless it is a preview. */
  #judgeSite(
    output: Output,
    outcomes: readonly Outcome[],
    {
      isQuiet,
      isOffline,
      isPreview,
      hasAccident,
    }: Record<'isQuiet' | 'isOffline' | 'isPreview' | 'hasAccident', boolean>,
  ): void {
    const { world } = this;
    const { siteStatus, settings, deployments } = world;
    const isThere = !['missing', 'moved', 'stale'].includes(siteStatus);
    // Also if the build has not requested it.
    const isRequired = isThere && settings.redirects === 'required' && outcomes.length > 0;
    const read = isOffline ? undefined : isRequired ? deployments.at(-1) : world.lastRead;
    const hasRedirects = settings.redirects !== 'off';
    const names = outcomes.map(({ project }) => world.nameOf(project));
    const absent = [...(read?.due ?? [])].filter(([name]) => !names.includes(name));
    const due = new Map(settings.allowRemoval ? [] : absent);
    for (const outcome of outcomes) {
      const { project, entries, whole, window, status } = outcome;
      const name = world.nameOf(project);
      const mirror = world.mirrorOf(project);
      const readers = this.readers[project];
      const known = new Set([
        ...(world.memory.slugs.get(mirror) ?? []),
        ...(read?.due.get(name) ?? []),
      ]);
      const continued = this.#continued(outcome, known, absent, read?.history);
      for (const pair of continued) known.add(pair);
      // A build with the variable leaves out what only another collection had.
      if (settings.allowRemoval) for (const pair of this.#copied) known.delete(pair);
      const isKnown = (id: string, slug: string) => known.has(`${id} ${slug}`);
      const isNewestOnly = world.newest !== undefined;
      const isFull = isNewestOnly && whole.some(({ size }) => size >= (world.newest ?? 0));
      const mayBeGone = !isQuiet || isFull || status === 'kept';
      const isWithdrawn = (id: string) => world.service.withdrawn.has(`${project} ${id}`);
      const isListed = (id: string) => whole.some((state) => state.has(id));
      // The next build requests articles that only the history of another name has.
      const isCopied = () => slugsIn(read?.history, name).length === 0 && absent.length > 0;
      const mayExist = (id: string) =>
        mayBeGone ||
        world.unlisted.has(id) ||
        [isWithdrawn, isListed, isCopied].some((is) => is(id));
      const others = new Set(
        Object.values(this.readers).flatMap((each) => [...(each === readers ? [] : each.public)]),
      );
      const folder = world.folderOf(project);
      if (known.size === 0 && readers.reached.size > 0) this.#forgetful.add(project);
      if (read && read === deployments.at(-1)) this.#isOlder = false;
      // An older history replaces the published one.
      else if (this.#isOlder && !isPreview) this.#forgetful.add(project);
      const isUncertain = continued.length > 0 || this.#forgetful.has(project) || this.#isOlder;
      const site = { name, isUncertain, folder, readers, others, isKnown, mayExist };
      judgeOutput(output, entries, { ...site, isNewestOnly, hasRedirects });
      if (isPreview) continue;

      const current = new Map(entries.map(({ id, slug }) => [id, slug]));
      for (const [id, slug] of current) {
        if (isWithheld(slug)) {
          this.#count('withheld page');
          continue;
        }
        if (this.#older.delete(id)) this.#count('return of an older article');
        const paths = readers.reached.get(id) ?? new Set();
        readers.reached.set(id, paths.add(`${folder}/${slug}`));
        known.add(`${id} ${slug}`);
        this.#copied.delete(`${id} ${slug}`);
      }
      for (const [id, paths] of readers.reached) {
        const slug = current.get(id);
        if (slug === undefined && isNewestOnly && isPublishedOlder(world, id)) this.#older.add(id);
        // An article that is not shown keeps its URLs, also if it is gone for a time, unless the mirror has lost them.
        const isLost = (former: string) =>
          slug === undefined || isWithheld(slug) || !hasRedirects
            ? !isKnown(id, lastSegment(former))
            : former !== `${folder}/${slug}` && !leadsTo(output, former, `${folder}/${slug}`);
        for (const former of [...paths].filter(isLost)) paths.delete(former);
      }
      const pairs = [...readers.reached].flatMap(([id, paths]) =>
        [...paths].map((path) => `${id} ${lastSegment(path)}`),
      );
      // A mirror has no paths of another collection: a build offline, which reads no published history, loses them.
      const ofMirror = world.memory.slugs.get(mirror) ?? new Set();
      const isOwn = (pair: string) => ofMirror.has(pair) || !this.#copied.has(pair);
      const all = new Set([...known, ...pairs].filter(isOwn));
      if (!hasAccident) world.memory.slugs.set(mirror, all);
      // What may be gone may have left the published history. A mirror may know less than the service has.
      const isSure = (pair: string) => {
        const [id = ''] = pair.split(' ');
        const isThere = isWithdrawn(id) || whole.every((state) => state.has(id));
        // What was gone comes back with the first listing that has it.
        const isListedNow = world.service.isOrdered && window.every((state) => state.has(id));
        const isSeen = read?.due.get(name)?.has(pair) || isListedNow;
        return current.has(id) || (isThere && isSeen && status === 'synced');
      };
      due.set(name, new Set([...known].filter(isSure)));
    }
    if (isPreview) return;
    // The build is deployed.
    if (siteStatus === 'moved') this.#count('site at another host');
    const hasMain = outcomes.some(({ project }) => project === 'main');
    if (!hasMain && this.readers.main.reached.size > 0) this.#count('site without its collection');
    const shown = outcomes.reduce((sum, { entries }) => sum + entries.length, 0);
    if (output.pages.size > shown) this.#count('redirect');
    deployments.push({ ...output, due });
    if (siteStatus !== 'missing') world.siteStatus = 'fresh';
    world.saveCache();
  }

  /**
   * Returns the pairs of id and slug that a collection continues under a new name: those of articles that have the page at
   * which their former ones lead, so not of those whose slugs have changed in the same build.
   */
  #continued(
    { project, entries }: Outcome,
    known: ReadonlySet<string>,
    absent: readonly (readonly [string, ReadonlySet<string>])[],
    history: string | undefined,
  ): string[] {
    if (project !== 'main' || known.size > 0) return [];
    return absent.flatMap(([name, pairs]) => {
      if (name === 'beiträge') return [];
      const slugs = new Map(slugsIn(history, name));
      const same = entries.filter(({ id, slug }) => slugs.get(id)?.[0] === slug);
      if (same.length === 0) return [];
      this.#count('renamed collection');
      const ids = new Set(same.map(({ id }) => id));
      const copied = [...pairs].filter((pair) => ids.has(pair.split(' ')[0] ?? ''));
      // What readers reach is of the former collection, too, although the published history need not contain it: a build
      // offline may have published it.
      const reached = [...ids].flatMap((id) =>
        [...(this.readers.main.reached.get(id) ?? [])].map((path) => `${id} ${lastSegment(path)}`),
      );
      for (const pair of [...copied, ...reached]) this.#copied.add(pair);
      return copied;
    });
  }

  /**
   * Notes what becomes public. Readers have no claim to a slug that an article has left, once another article has it. An
   * earlier version has left its slug, too, if the service has given the slug to another article.
   */
  #passSlugsOn({ entries, project, earlier }: Outcome): void {
    const readers = this.readers[project];
    for (const { slug } of entries) if (!isWithheld(slug)) readers.public.add(slug);
    const wanted = new Map(entries.map((entry) => [entry.id, entry.wanted]));
    for (const { id, slug, given } of entries) {
      const isShared = entries.some((other) => other.id !== id && other.wanted === slug);
      if (given === slug && isShared) this.#count('own slug that another article wants');
      for (const [other, paths] of readers.reached) {
        const isWanted = wanted.get(other) === slug && !earlier.has(other);
        const left = [...paths].filter((path) => lastSegment(path) === slug);
        if (other === id || left.length === 0 || isWanted) continue;
        for (const path of left) paths.delete(path);
        if (given === slug) this.#count('own slug that another article had');
      }
    }
  }

  /**
   * Notes that the mirror has its former state or the current one, after a process was killed.
   *
   * @param loaded the state that the process had loaded before the service changed
   */
  #addPossibleState(project: Project, isQuiet: boolean, loaded?: State): void {
    const { memory, service } = this.world;
    const mirror = this.world.mirrorOf(project);
    const known = memory.mirror.get(mirror);
    const now = service.now(project);
    const possible = (loaded ? [loaded, now] : [now]).map((state) => this.world.part(state));
    const isCertain = Array.isArray(known) && isQuiet && !possible.some(hasBroken);
    memory.mirror.set(mirror, isCertain ? [...known, ...possible] : 'unknown');
  }

  /** Notes what the mirror has after a load. */
  #remember({ status, project, window }: Outcome, isExact: boolean): void {
    if (status !== 'synced') return;
    const { world } = this;
    const now = window.at(-1) ?? new Map();
    const isCertain = isExact && !hasBroken(now);
    world.memory.mirror.set(world.mirrorOf(project), isCertain ? [now] : 'unknown');
  }

  async #dev({ edit, isOvertaken }: Extract<Step, { kind: 'dev' }>): Promise<boolean> {
    const { world } = this;
    const { service } = world;
    world.exitProcess();
    const context = await world.openContext('dev');
    const { isQuiet, settings } = world;
    const leavesOut = settings.leavesOut && !settings.showsInDev;
    const given = world.optionsFor('main', undefined, leavesOut);
    const options = { ...given, drafts: 'include' as const };
    const facts = { isQuiet, isOffline: false, isPreview: true, leavesOut, hasDiskFault: false };
    let last: Outcome | undefined;
    for (const isRefresh of [false, true]) {
      if (isRefresh) service.edit(edit);
      if (isOvertaken && last && !['failed', 'nothing'].includes(last.status)) {
        await world.sync('main').catch(() => undefined);
        this.#addPossibleState('main', isQuiet);
        judgePages(last, await world.readEntries(context));
      }
      last = await world.load(context, options, { project: 'main' });
      judgeLoad(world, last, facts);
      this.#remember(last, isQuiet);
    }
    world.memory.stores.dev = context.storeText();
    return true;
  }

  async #sync(accident: Extract<Step, { kind: 'sync' }>['accident']): Promise<boolean> {
    const { world } = this;
    const { memory, service } = world;
    service.begin();
    let failure: Error | undefined;
    await world
      .during(accident, () => world.sync('main', accident))
      .catch((error) => {
        failure = error;
      });
    const now = service.now('main');
    const { leavesOut } = world.settings;
    const sites = [false, leavesOut].map((each) => ({ isPreview: false, leavesOut: each }));
    const mirror = world.mirrorOf('main');
    const mayFail =
      !world.isQuiet ||
      world.lacksHistory ||
      accident !== undefined ||
      hasBroken(now) ||
      sites.some((facts) => mayBeRefused(world, { project: 'main', whole: [now] }, facts));
    if (failure) demand(mayFail, `the sync failed: ${failure.stack}`);
    if (world.isDead || failure || service.troubles.size > 0) {
      this.#addPossibleState('main', service.troubles.size === 0);
      return false;
    }
    this.#rememberSync('main');
    const read = world.lastRead?.due.get(world.nameOf('main')) ?? [];
    if (!accident)
      memory.slugs.set(mirror, new Set([...(memory.slugs.get(mirror) ?? []), ...read]));
    return true;
  }

  /** Notes what the mirror has after a sync. */
  #rememberSync(project: Project): void {
    const { world } = this;
    const now = world.part(world.service.now(project));
    const isCertain = world.service.troubles.size === 0 && !hasBroken(now);
    world.memory.mirror.set(world.mirrorOf(project), isCertain ? [now] : 'unknown');
  }

  /**
   * An article that the service no longer has is gone within two loads, also while the listing changes. One that is
   * withdrawn responds with another status than 404, so only a reliable listing takes it off the site.
   */
  #judgeGhosts({ entries, status, whole, project }: Outcome, isReliable: boolean): void {
    if (status !== 'synced' || project !== 'main') return;
    const shown = isReliable ? entries.map(({ id }) => id) : [];
    const { troubles, withdrawn } = this.world.service;
    const gone = shown.filter(
      (id) =>
        !whole.some((state) => state.has(id)) &&
        !(troubles.has('changing') && withdrawn.has(`main ${id}`)),
    );
    for (const id of gone) demand(!this.#ghosts.has(id), `${id} is gone, and still shown`);
    this.#ghosts = new Set(gone);
  }

  /** After the faults, builds show everything exactly, and the third one requests and renders nothing again. */
  async recover(): Promise<void> {
    const { world } = this;
    world.siteStatus = 'fresh';
    // What a replica that lags behind responds with may have any age, and must not last.
    world.service.troubles = new Set(['lagging']);
    for (const id of ['c3', 'd4']) world.service.edit({ act: 'rewrite', id, title: 0 });
    await this.perform(quietBuild);
    world.service.troubles = new Set();
    for (const project of ['main', 'other'] as const) {
      for (const [id, { isBroken }] of world.service.now(project))
        if (isBroken) world.service.edit({ act: 'publish', id, title: 0 }, project);
    }
    for (const id of ['a1', 'b2']) {
      for (const project of ['main', 'other'] as const) {
        world.service.edit({ act: 'write', id, title: 0 }, project);
        world.service.edit({ act: 'rewrite', id, title: 0 }, project);
      }
    }
    // Of the third one, only its row changes.
    for (const id of ['a1', 'b2', 'c3']) world.service.edit({ act: 'move', id, title: 0 });
    const { service, settings } = world;
    if (!world.isQuiet) service.manner.envelope = 'counted';
    settings.allowRemoval = service.states.main.some(({ size }) => size >= 20);
    // A build without an article to show is refused.
    const showsNone = (['main', 'other'] as const).some((project) =>
      [...world.part(service.now(project)).values()].every(isLeftOut),
    );
    if (showsNone) settings.leavesOut = false;
    world.clock.shift += 40 * 86_400_000;
    world.isLate = true;
    await this.perform(quietBuild);
    // Fetches what the clean-up of the first build found to be corrupt.
    await this.perform(quietBuild);
    const { renderings } = world;
    const { singles } = service;
    await this.perform(quietBuild);
    const [before, last] = world.deployments.slice(-2);
    demand(last !== undefined, 'no build was deployed');
    demand(last?.history === before?.history, 'a build without a change changed the history');
    demand(world.renderings === renderings, 'an unchanged article was rendered');
    const { rows } = service.manner;
    const showsChanges = rows === 'full' || (rows === 'dated' && typeof settings.rows === 'object');
    const isFree = service.singles === singles || !showsChanges;
    demand(isFree, `${service.singles - singles} requests for unchanged articles or images`);
  }
}

/** Whether the service has an article that is older than the newest ones, and that readers get on demand. */
function isPublishedOlder({ service, newest }: World, id: string): boolean {
  const index = [...service.now('main').keys()].indexOf(id);
  const version = service.now('main').get(id);
  return newest !== undefined && index >= newest && version !== undefined && isPublished(version);
}

const idsOf = ({ entries }: Outcome) => entries.map(({ id }) => id);

function hasBroken(state: State): boolean {
  return [...state.values()].some(({ isBroken }) => isBroken);
}

function noReaders(): Readers {
  return { reached: new Map(), public: new Set() };
}

/** Lives through a story; returns what went wrong. */
export async function runStory(
  steps: readonly Step[],
  tally: Tally = {},
): Promise<Error | undefined> {
  const simulation = new Simulation(tally);
  try {
    for (const step of steps) await simulation.perform(step);
    await simulation.recover();
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    simulation.world.end();
  }
}

/** Leaves out steps of a failing story, and parts of steps, while it still fails. */
async function shorten(steps: readonly Step[]): Promise<readonly Step[]> {
  let shortest = steps;
  const attempt = async (fewer: readonly Step[]) => {
    if (await runStory(fewer)) shortest = fewer;
  };
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = shortest.length - size; at >= 0; at -= size) {
      await attempt(shortest.toSpliced(at, size));
    }
  }
  for (const [at, step] of shortest.entries()) {
    if (step.kind !== 'build') continue;
    await attempt(shortest.with(at, { ...step, accident: undefined }));
    await attempt(shortest.with(at, { ...step, edits: [] }));
    await attempt(shortest.with(at, { ...step, overtaken: undefined }));
  }
  return shortest;
}

/** Runs a seed, with a number of builds for a long story; returns the shortened story of its failure. */
export async function runSeed(
  seed: number,
  tally?: Tally,
  builds?: number,
): Promise<string | undefined> {
  const steps = drawSteps(seed, builds);
  const first = await runStory(steps, tally);
  if (!first) return undefined;
  const story = await shorten(steps);
  const failure = await runStory(story);
  const lines = [...story.map(describeStep), 'the faults end, and three builds follow'];
  const told = lines.map((line, index) => `  ${index + 1}. ${line}`).join('\n');
  return `Seed ${seed} fails: ${failure?.message ?? `only sometimes: ${first.message}`}\n${told}\nRun it again with: npm run simulate -- --seed ${seed}${builds ? ` --builds ${builds}` : ''}\n`;
}
