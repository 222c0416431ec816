import { createHmac } from 'node:crypto';
import { cacheTags, liveArticlesLoader } from '../../src/live/index.ts';
import { sleep } from '../../src/shared/clock.ts';
import { slugOf } from '../../src/shared/slug.ts';
import { deployHook, purge, webhook } from '../../src/webhook/index.ts';
import { settle } from '../helpers/settle.ts';
import {
  type ActionName,
  type Call,
  isAccepted,
  judgeBurst,
  judgeOthers,
  judgeVisit,
  purgeLimit,
  type Sent,
  type Warning,
} from './judge-burst.ts';
import { type Edit, keys, origin, webhookSecret } from './service.ts';
import { home, hookUrl, type World } from './world.ts';

/** What a body has of the article. Those that name it are first. */
export const bodies = {
  id: (id: string) => JSON.stringify({ id }),
  ids: (id: string) => JSON.stringify({ id: 'event-7', ids: [id] }),
  wrapped: (id: string) => JSON.stringify({ id: 'event-7', data: { article_id: id } }),
  slug: (_: string, slug: string) => JSON.stringify({ id: 'event-7', data: { slug } }),
  nothing: () => '{}',
  empty: () => '',
  text: () => 'articles changed',
};
const naming: readonly string[] = ['id', 'ids', 'wrapped'];

/** How a delivery proves that the service sent it. `get` is not a POST, and the body of `large` is too large. */
export type Proof = 'bearer' | 'query' | 'hub' | 'standard' | 'wrong' | 'missing' | 'get' | 'large';

/** One change of an article, and the delivery that reports it. */
export interface Delivery {
  edit: Edit;
  /** Milliseconds since the delivery before. */
  pause: number;
  body: keyof typeof bodies;
  proof: Proof;
  /** The seconds by which the clock of the sender is ahead. */
  ahead: number;
  /** Whether the first delivery of the burst is sent again instead. */
  isRepeated: boolean;
  /** The milliseconds in which a page of the article is rendered that a reader opened before the change. */
  slow: number;
}

/** Deliveries to the webhook of a site with live pages, which purges them and starts a build. */
export interface BurstPlan {
  deliveries: readonly Delivery[];
  /** Whether the host has `waitUntil()`. */
  continues: boolean;
  /** Milliseconds that the cache and the build hook need. */
  latency: number;
  /** Which calls the cache or the build hook refuses: so many from one on. */
  refusals: { action: ActionName; from: number; count: number; status: number };
}

/** A live page in the cache. */
interface Page {
  path: string;
  entry: unknown;
  tags: string[] | undefined;
  /** When its rendering began. */
  turn: number;
}

const collection = 'liveArticles';
const list = '/';

/**
 * Sends a burst of deliveries, while readers open pages, and judges what follows.
 *
 * @returns what happened, for the tally
 */
export async function sendBurst(world: World, plan: BurstPlan): Promise<Set<string>> {
  const events = new Set<string>();
  await world.clock.pace(() => new Burst(world, plan, events).run());
  return events;
}

class Burst {
  readonly #world: World;
  readonly #plan: BurstPlan;
  readonly #events: Set<string>;
  readonly #sent: Sent[] = [];
  readonly #calls: Call[] = [];
  readonly #warnings: Warning[] = [];
  readonly #cached = new Map<string, Page>();
  readonly #handle;
  /** Counts what happens, because much of it happens at one time. */
  #turn = 0;
  /** The responses and tasks for which the host lets the handler work. */
  #open = 0;

  constructor(world: World, plan: BurstPlan, events: Set<string>) {
    this.#world = world;
    this.#plan = plan;
    this.#events = events;
    const actions = [purge({ collection }), deployHook(hookUrl)];
    this.#handle = webhook({ secret: webhookSecret, actions }, world.clock);
  }

  async run(): Promise<void> {
    const { clock, service } = this.#world;
    this.#world.respondAsHook = async () => {
      const { status } = this.#plan.refusals;
      if (await this.#call('deployHook')) return new Response('', { status: 201 });
      if (status === 0) throw new TypeError(`fetch failed for ${hookUrl}`);
      return new Response('', { status });
    };
    service.begin();
    for (const id of service.now('main').keys()) await this.#read(id);
    await this.#read(list);
    const first = this.#now();

    let due = clock.now();
    await this.#play(
      this.#plan.deliveries.flatMap((delivery, index) => {
        due += delivery.pause;
        return this.#deliver(delivery, due, index > 0 && delivery.isRepeated);
      }),
    );
    // A sender repeats what has failed.
    const failed = this.#sent.filter(({ response }) => response?.status === 502);
    await this.#play(failed.flatMap((sent) => this.#visited(clock.now(), () => this.#send(sent))));

    this.#world.respondAsHook = undefined;
    judgeBurst(this.#sent, {
      ...{ calls: this.#calls, warnings: this.#warnings, continues: this.#plan.continues },
    });
    const edited = new Set(this.#sent.map(({ id }) => id));
    const others = [...service.now('main').keys()].filter(
      (id) => !edited.has(id) && this.#isReadable(id),
    );
    if (this.#sent.every((sent) => !isAccepted(sent) || naming.includes(sent.body))) {
      judgeOthers(others, { cached: this.#cached, turn: first });
      if (others.length > 0) this.#events.add('page that no delivery purges');
    }
    for (const sent of this.#sent) {
      const isRefused = sent.response?.status === 401;
      this.#events.add(isRefused ? 'refused delivery' : `response ${sent.response?.status}`);
      if (sent.earlier)
        this.#events.add(`repeated delivery, ${isRefused ? 'refused' : 'accepted'}`);
    }
    const runs = this.#calls.filter(({ action, ok }) => action === 'deployHook' && ok);
    if (runs.length < this.#sent.filter(isAccepted).length)
      this.#events.add('deliveries that share a run');
    if (this.#warnings.length > 0) this.#events.add('failed action');
  }

  #now(): number {
    this.#turn += 1;
    return this.#turn;
  }

  /** Performs what happens, each at its time, and lets a minute pass. */
  async #play(events: readonly { at: number; run: () => Promise<void> }[]): Promise<void> {
    const { clock } = this.#world;
    for (const { at, run } of events.toSorted((a, b) => a.at - b.at)) {
      if (at > clock.now()) await clock.pass(at - clock.now());
      await run();
    }
    await clock.pass(60_000);
  }

  /** Returns what happens around a delivery: a reader opens a page, the article changes, and later readers come. */
  #deliver(delivery: Delivery, at: number, isRepeated: boolean) {
    const { service } = this.#world;
    const { edit, slow } = delivery;
    const released = Promise.withResolvers<void>();
    let rendered: Promise<Page> | undefined;
    const deliver = async (): Promise<Sent> => {
      const [original] = this.#sent;
      if (isRepeated && original) return this.#send(original);
      if (this.#isReadable(edit.id)) {
        const started = Promise.withResolvers<void>();
        rendered = this.#render(edit.id, { started: started.resolve, end: released.promise });
        await Promise.race([started.promise, rendered]);
      }
      service.edit(edit);
      return this.#send(await this.#requestOf(delivery));
    };
    const store = async () => {
      released.resolve();
      const page = await rendered;
      if (page?.tags) this.#cached.set(page.path, page);
      if (page) this.#events.add('page that is rendered during a purge');
    };
    return [...this.#visited(at, deliver), { at: at + slow, run: store }];
  }

  /** Returns a delivery, and the visits of readers who have to find its change. */
  #visited(at: number, deliver: () => Promise<Sent>) {
    let sent: Sent | undefined;
    const run = async () => {
      sent = await deliver();
    };
    const visit = async () => {
      // The site does not know of a change whose delivery it refuses, and a cache may refuse a purge.
      const isPurged = !this.#warnings.some(
        ({ turn, text }) => turn > (sent?.turn ?? 0) && text.includes('purge'),
      );
      if (!sent || !isPurged || !isAccepted(sent)) return;
      for (const path of [sent.id, list]) {
        const page = await this.#read(path);
        if (page) judgeVisit(this.#world.service.states.main, sent, page);
      }
    };
    return [
      { at, run },
      { at: at + purgeLimit(this.#plan), run: visit },
    ];
  }

  /** Whether the page of an article has no error. An article that is removed may return. */
  #isReadable(id: string): boolean {
    return !this.#world.service.states.main.some((state) => state.get(id)?.isBroken);
  }

  /** Returns a page as a reader gets it; undefined when it is an error. */
  async #read(path: string): Promise<Page | undefined> {
    const { service } = this.#world;
    const ids = path === list ? [...service.now('main').keys()] : [path];
    if (!ids.some((id) => this.#isReadable(id))) return undefined;
    const page = this.#cached.get(path) ?? (await this.#render(path));
    if (page.tags) this.#cached.set(path, page);
    return page.tags && page;
  }

  async #render(path: string, held?: { started: () => void; end: Promise<void> }): Promise<Page> {
    const turn = this.#now();
    const { fetch = globalThis.fetch } = this.#world.optionsFor('main');
    const loader = liveArticlesLoader({
      ...{ baseUrl: origin, apiKey: keys.main, timeout: 30_000 },
      async fetch(url, init) {
        const response = await fetch(url, init);
        held?.started();
        await held?.end;
        return response;
      },
    });
    const entry = await (path === list
      ? loader.loadCollection({ collection })
      : loader.loadEntry({ filter: { id: path }, collection }));
    if (!entry) return { path, entry, tags: cacheTags(collection, path), turn };
    return { path, entry, tags: 'cacheHint' in entry ? entry.cacheHint.tags : undefined, turn };
  }

  /** Notes a call of an action, and returns whether it is accepted. */
  async #call(action: ActionName): Promise<boolean> {
    const { refusals } = this.#plan;
    const nth = this.#calls.filter((call) => call.action === action).length - refusals.from;
    const ok = refusals.action !== action || nth < 0 || nth >= refusals.count;
    const isWorking = this.#open > 0;
    this.#calls.push({ action, ok, isWorking, at: this.#world.clock.now(), turn: this.#now() });
    await sleep(this.#world.clock, this.#plan.latency);
    return ok;
  }

  async #requestOf({
    edit,
    body,
    proof,
    ahead,
  }: Delivery): Promise<Omit<Sent, 'at' | 'turn' | 'mayBe'>> {
    const { clock, service } = this.#world;
    const { id } = edit;
    const state = service.states.main.length - 1;
    const title = service.now('main').get(id)?.title ?? '';
    const text =
      proof === 'large' ? 'x'.repeat(1_000_001) : bodies[body](id, await slugOf({ id, title }));
    const seconds = Math.floor(clock.date() / 1000) + ahead;
    const name = `msg_${this.#now()}`;
    const sign = (key: string | Buffer, signed: string, encoding: 'hex' | 'base64') =>
      createHmac('sha256', key).update(signed).digest(encoding);
    const key = Buffer.from(webhookSecret.slice('whsec_'.length), 'base64');
    const bearer = { authorization: `Bearer ${webhookSecret}` };
    const headers: Record<string, string> = {
      ...{ bearer, get: bearer, large: bearer, query: {}, missing: {} },
      wrong: { authorization: `Bearer ${webhookSecret.toLowerCase()}` },
      hub: { 'x-hub-signature-256': `sha256=${sign(webhookSecret, text, 'hex')}` },
      standard: {
        ...{ 'webhook-id': name, 'webhook-timestamp': String(seconds) },
        'webhook-signature': `v1,${sign(key, `${name}.${seconds}.${text}`, 'base64')}`,
      },
    }[proof];
    const query = proof === 'query' ? `?secret=${encodeURIComponent(webhookSecret)}` : '';
    const request = { url: new URL(`/api/purge${query}`, home).href, headers, text };
    return { id, state, body, proof, seconds, request };
  }

  /** Sends a delivery, or one of those that were sent again. Does not wait for the response. */
  async #send(given: Omit<Sent, 'at' | 'turn' | 'mayBe'> | Sent): Promise<Sent> {
    const { clock } = this.#world;
    const { id, state, body, proof, seconds, request } = given;
    const earlier = this.#sent.filter((each) => each.request === request);
    // The signatures of two equal deliveries at the same time are checked in parallel. Waiting keeps their order.
    if (earlier.length > 0) await settle();
    const sent: Sent = {
      ...{ id, state, body, proof, seconds, request, earlier: earlier.at(-1) },
      mayBe: this.#mayBe(given, earlier),
      ...{ at: clock.now(), turn: this.#now() },
    };
    this.#sent.push(sent);
    const waitUntil = (task: Promise<unknown>) => {
      this.#open += 1;
      void task.finally(() => {
        this.#open -= 1;
        sent.endTurn = this.#now();
      });
    };
    const warn = (text: string) => void this.#warnings.push({ text, turn: this.#now() });
    const context = {
      request: new Request(request.url, {
        method: proof === 'get' ? 'GET' : 'POST',
        headers: request.headers,
        ...(proof !== 'get' && { body: request.text }),
      }),
      logger: { warn },
      cache: {
        enabled: true,
        invalidate: async (input: { tags: string[] }) => this.#invalidate(input),
      },
      locals: this.#plan.continues ? { cfContext: { waitUntil } } : {},
    };
    this.#open += 1;
    const respond = (status: number, text: string) => {
      this.#open -= 1;
      sent.response = { status, text, at: clock.now(), turn: this.#now() };
    };
    void this.#handle(context).then(
      async (response) => respond(response.status, await response.text()),
      (error) => respond(0, String(error)),
    );
    return sent;
  }

  async #invalidate({ tags }: { tags: string[] }): Promise<void> {
    if (!(await this.#call('purge'))) throw new TypeError(`refused: ${webhookSecret}`);
    for (const [path, page] of this.#cached) {
      if (page.tags?.some((tag) => tags.includes(tag))) this.#cached.delete(path);
    }
  }

  /** Returns which statuses the documentation allows for a delivery that is sent now. */
  #mayBe(
    { proof, seconds }: Pick<Sent, 'proof' | 'seconds'>,
    earlier: readonly Sent[],
  ): readonly number[] {
    const accepted = this.#plan.continues ? [200, 202, 502] : [200, 502];
    if (proof === 'get') return [405];
    if (proof === 'large') return [413];
    if (proof === 'wrong' || proof === 'missing') return [401];
    if (proof !== 'standard') return accepted;
    const difference = this.#world.clock.date() - seconds * 1000;
    if (Math.abs(difference) > 300_000) return [401];
    const known = earlier.findLast((sent) => !sent.response || isAccepted(sent));
    if (!known) return accepted;
    if (known.response?.status === 502) return accepted;
    // The action of a delivery that has its response may have failed later.
    const mayHaveFailed = this.#warnings.some(({ turn }) => turn > known.turn);
    return this.#plan.continues && mayHaveFailed ? [...accepted, 401] : [401];
  }
}
