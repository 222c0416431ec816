import { basename } from 'node:path';
import type { FixtureArticle } from '../../fixtures/articles.ts';
import type { FixtureService } from '../../fixtures/service.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { hash } from '../../src/shared/hash.ts';
import { type Intervention, watchFiles } from '../helpers/file-faults.ts';
import { indexFile, pathsFile } from '../helpers/mirror-folder.ts';
import { slugsIn } from '../simulation/judge.ts';
import {
  type Outcome,
  type Output,
  type ShownEntry,
  type SiteContext,
  World,
} from '../simulation/world.ts';
import { type Action, keyOf, step } from './life.ts';
import { brokenPromises } from './promises.ts';
import * as rules from './rules.ts';

/** That of the process: a simulated world replaces it by the hosts that it has. */
const { fetch } = globalThis;
const always = Number.POSITIVE_INFINITY;
const key = 'model-test-key-0815';
const titles = ['Alpha', 'Beta', 'Gamma'] as const;
const texts = ['', 'Text 1.', 'Text 2.'] as const;

/** The simulated world, with the fixture service over HTTP in place of its own. */
class ServedWorld extends World {
  readonly served: FixtureService;
  /** How often a text of an article was rendered. */
  rendered = 0;
  /** The ids of articles that the last process has requested. */
  requested = new Set<string>();
  /** Called before the next request. */
  interrupt: (() => Promise<void>) | undefined;

  constructor(served: FixtureService) {
    super();
    this.served = served;
  }

  override async openContext(...site: Parameters<World['openContext']>): Promise<SiteContext> {
    const context = await super.openContext(...site);
    const renderMarkdown: typeof context.renderMarkdown = (text, ...more) => {
      // Other texts are those of the package itself.
      if (texts.some((each) => each === text)) this.rendered += 1;
      return context.renderMarkdown(text, ...more);
    };
    return { ...context, renderMarkdown };
  }

  override optionsFor(): ArticlesOptions {
    const requested = new Set<string>();
    this.requested = requested;
    return {
      ...super.optionsFor('main'),
      ...{ baseUrl: this.served.url, apiKey: key },
      fetch: async (url, init) => {
        const { interrupt } = this;
        this.interrupt = undefined;
        await interrupt?.();
        if (this.isDead) throw new TypeError('fetch failed');
        const id = /articles\/([^/]+)\/$/.exec(new URL(url).pathname)?.[1];
        if (id) requested.add(id);
        return fetch(url, init);
      },
    };
  }

  /** Makes the service what the model says. Returns a function that ends its faults. */
  serve({ service }: rules.World, { reading, id: lacked }: rules.LoadAction): () => void {
    const { served } = this;
    served.options.apiKey = key;
    const all = service.map(toArticle);
    const listed = service.filter(({ isListed }) => isListed).map(toArticle);
    const lacking = listed.filter(({ id }) => id !== lacked);
    let readings = 0;
    served.beforeResponse = ({ kind, offset }) => {
      if (kind === 'list' && offset === 0) readings += 1;
      const isWhole = reading === 'complete' || (reading === 'lagging' && readings > 1);
      served.options.articles = kind !== 'list' ? all : isWhole ? listed : lacking;
    };
    const denied = service.filter(({ isListed, isUsable }) => !isListed && !isUsable);
    const undo = [
      served.fail({
        on: ({ id }) => denied.some((article) => article.id === id),
        ...{ times: always, fault: { kind: 'status', status: 401 } },
      }),
    ];
    const isCut = reading === 'cut' && lacking.length < listed.length;
    const rewrite = (page: unknown) => ({
      ...Object(page),
      ...(isCut && { count: listed.length }),
    });
    const headers = reading === 'cached' ? { age: 9 } : {};
    const fault =
      reading === 'down'
        ? ({ kind: 'status', status: 503 } as const)
        : ({ kind: 'rewrite', rewrite, headers } as const);
    if (reading !== 'complete') undo.push(served.fail({ on: 'list', times: always, fault }));
    return () => {
      for (const each of undo) each();
    };
  }

  /** Ends the process where it writes a file. Returns a function that stops watching. */
  watch(ends: rules.LoadAction['ends']): () => void {
    const dies: Intervention = { kind: 'kill', torn: false };
    const [index, history] = [indexFile(''), pathsFile('')];
    let isCommitted = false;
    const { stop } = watchFiles(this.cache, {
      before: ({ name, path }) => {
        // With the temporary file of each.
        const isWriteOf = (file: string) =>
          /^(?:write|rename)/.test(name) && basename(path).startsWith(file);
        const isHere = {
          history: isWriteOf(index) || isWriteOf(history),
          index: isWriteOf(index),
          clean: isCommitted,
        };
        if (ends && ends in isHere) this.isDead ||= isHere[ends as keyof typeof isHere];
        isCommitted ||= isWriteOf(index) && name.startsWith('rename');
        return this.isDead ? dies : undefined;
      },
    });
    return stop;
  }
}

function toArticle({ id, title, text, isUsable }: rules.Article): FixtureArticle {
  const fields = { id, key: id, grade: 'A', cover_image: null };
  return { ...fields, title: isUsable ? titles[title] : 7, content: texts[text] };
}

/** What a load and its build have shown, as texts. */
interface Told {
  outcome: string;
  entries: string[];
  requested: string[];
  rendered: number;
  pages?: string[] | undefined;
  history?: string[] | undefined;
}

function tell({ entries, pages, history, ...seen }: rules.Seen): Told {
  const describe = (version: rules.Version) =>
    `${version.id} /${rules.slugOf(version)}/ ${titles[version.title]}: ${texts[version.text]}`;
  const lines = (values: object | undefined, between: string) =>
    values && Object.entries(values).map((pair) => pair.join(between));
  return {
    ...{ ...seen, entries: entries.map(describe) },
    pages: lines(pages, ' shows ')?.sort(),
    history: lines(history, ' ')?.sort(),
  };
}

function describeEntry({ id, slug, title, body, html }: ShownEntry): string {
  const isRight = html.includes(body);
  return `${id} /${slug}/ ${title}: ${body}${isRight ? '' : `, rendered as ${html}`}`;
}

function tellOutput({ pages, history }: Output): Pick<Told, 'pages' | 'history'> {
  const target = (slug: string, html: string) =>
    html === 'page' ? slug : /url=\/articles\/([^/]+)\/"/.exec(html)?.[1];
  return {
    pages: [...pages]
      .map(([path, html]) => [path.replace('articles/', ''), html] as const)
      .map(([slug, html]) => `${slug} shows ${target(slug, html)}`)
      .sort(),
    history: slugsIn(history)
      .map(([id, slugs]) => `${id} ${slugs.toSorted()}`)
      .sort(),
  };
}

/** Returns how a load differs from what the model says. */
function difference(told: Told, wanted: Told, allowed: readonly string[]): string | undefined {
  const { outcome } = wanted;
  if (told.outcome !== outcome) return `the load is ${told.outcome}, and should be ${outcome}`;
  if (outcome === 'killed') return undefined;
  for (const part of ['entries', 'pages', 'history'] as const) {
    const [has, should] = [told[part], wanted[part]].map((list = []) => list.join('; '));
    if (has !== should) return `its ${part} are [${has}], and should be [${should}]`;
  }
  const lacking = wanted.requested.filter((id) => !told.requested.includes(id));
  if (lacking.length > 0) return `it did not request ${lacking}`;
  const known = [...wanted.requested, ...allowed];
  const more = told.requested.filter((id) => !known.includes(id));
  if (more.length > 0) return `it requested ${more}, which costs a request for nothing`;
  if (outcome === 'synced' && told.rendered !== wanted.rendered)
    return `it rendered ${told.rendered} articles, and should render ${wanted.rendered}`;
  return undefined;
}

class Replay {
  readonly world: ServedWorld;
  model = rules.empty;

  constructor(service: FixtureService) {
    this.world = new ServedWorld(service);
  }

  /** Performs an action. Returns how the result differs from the model. */
  async perform(action: Action): Promise<string | undefined> {
    const before = this.model;
    const { world, seen } = step(before, action);
    this.model = world;
    if (action.kind !== 'load' || !seen) {
      this.#act(action);
      return undefined;
    }
    const [broken] = brokenPromises(before, action, world, seen);
    if (broken) return `the model breaks ${broken}`;
    return difference(await this.#load(action, before), tell(seen), seen.allowed);
  }

  #act({ kind }: Action): void {
    const { world, model } = this;
    if (kind === 'save') world.saveCache();
    if (kind === 'restore') world.restoreCache(0, false);
    if (kind === 'lose cache') world.loseCache();
    if (kind === 'lose store') world.memory.stores = {};
    world.siteStatus = ({ whole: 'fresh', missing: 'missing', down: 'down' } as const)[model.site];
    world.settings.newest = model.isNewest ? 2 : undefined;
  }

  async #load(action: rules.LoadAction, before: rules.World): Promise<Told> {
    const { world, model } = this;
    const { command, isStrict, ends, other } = action;
    world.isDead = false;
    world.exitProcess();
    const context = await world.openContext('build');
    const options = world.optionsFor();
    options.failOn = isStrict ? ['articles', 'service'] : [];
    const { requested } = world;
    const told: Told = { outcome: 'killed', entries: [], requested: [], rendered: 0 };

    const recover = world.serve(before, action);
    let atStart = world.rendered;
    const syncToo = async () => {
      const known = world.rendered;
      await world.sync('main').catch(() => undefined);
      atStart += world.rendered - known;
    };
    if (other === 'listing') world.interrupt = syncToo;
    if (ends === 'list')
      world.interrupt = async () => {
        world.isDead = true;
      };
    const stop = world.watch(ends);
    const isOffline = command === 'offline';
    let outcome: Outcome | undefined;
    try {
      outcome = await world.load(context, options, { project: 'main', isOffline });
    } catch (error) {
      // Also of a page that reads a file after the process has ended.
      if (!world.isDead) throw error;
    }
    stop();
    recover();
    world.interrupt = undefined;
    if (!outcome || world.isDead) return told;
    if (outcome.status === 'failed') {
      told.outcome = outcome.isUnchanged ? `${outcome.code}` : 'a failure that changes the entries';
      return { ...told, requested: [...requested] };
    }
    if (ends === 'publish') return told;
    const ordered = outcome.entries.toSorted((a, b) => b.position - a.position);
    const shown: Told = {
      ...{ outcome: outcome.status, entries: ordered.map(describeEntry) },
      ...{ requested: [...requested], rendered: world.rendered - atStart },
    };
    if (command === 'sync') return shown;
    world.memory.stores.build = context.storeText();
    if (other === 'publishing') {
      const end = world.serve(model, action);
      await syncToo();
      end();
    }
    const output = await world.publish(context, [outcome]);
    if (ends !== 'deploy') world.deployments.push(output);
    return { ...shown, ...tellOutput(output) };
  }
}

/** What traces have reached: states of the model, and actions in them. */
export interface Coverage {
  states: Set<string>;
  transitions: Set<string>;
  loads: number;
}

/** Replays a trace through real loads. Returns how the first one that differs does so. */
export async function replay(
  service: FixtureService,
  trace: readonly Action[],
  coverage?: Coverage,
): Promise<string | undefined> {
  const replayed = new Replay(service);
  try {
    for (const action of trace) {
      if (coverage) {
        const state = hash(keyOf(replayed.model));
        coverage.states.add(state);
        coverage.transitions.add(hash(`${state} ${keyOf(action)}`));
        coverage.loads += Number(action.kind === 'load');
      }
      const problem = await replayed.perform(action);
      if (problem) return problem;
    }
    return undefined;
  } finally {
    replayed.world.end();
  }
}

/** Describes the failure of a trace, without the actions that it does not need. */
export async function tellShortest(
  service: FixtureService,
  trace: readonly Action[],
): Promise<string> {
  let shortest = trace;
  for (let at = trace.length - 1; at >= 0; at--) {
    const fewer = shortest.toSpliced(at, 1);
    if (await replay(service, fewer)) shortest = fewer;
  }
  const describe = ({ kind, ...more }: Action) => [kind, ...Object.values(more)].join(' ');
  const lines = shortest.map((action, index) => `  ${index + 1}. ${describe(action)}`);
  const problem = await replay(service, shortest);
  return [problem ?? 'only sometimes', ...lines].join('\n');
}
