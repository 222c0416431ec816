import type { ArticlesOptions } from '../../src/options/options.ts';

/** An article of the modelled service. Its content is different after each edit. */
export interface ModelArticle {
  id: string;
  title: string;
  content: string;
}

/** The articles of the service at one time, in the order of the listing. */
export type ModelState = readonly ModelArticle[];

/** A change of the service. `move` edits an article and puts it first. */
export type Edit = { kind: 'insert' | 'delete' | 'edit' | 'move'; at: number };

export type ModelFault = '404' | '429' | '500' | 'network' | 'cut' | 'html';

/** The conditions of one request. */
export interface Event {
  /** Changes before the response. */
  edits: readonly Edit[];
  fault?: ModelFault | undefined;
  /** The number of states that the responding replica is behind. */
  lag: number;
}

export interface ModelOptions {
  /** The most rows that a page has. */
  maxLimit: number;
  /** `results` with `count` and `next`, the same without `count`, or a bare array. */
  envelope: 'counted' | 'linked' | 'array';
  /** Whether rows have all four fields. */
  fullRows: boolean;
  /** Whether the last article never changes. */
  keepsLast?: boolean;
}

export interface ModelService {
  /** Every state so far; the last one is the current one. */
  readonly states: readonly ModelState[];
  fetch: NonNullable<ArticlesOptions['fetch']>;
  /** Sets the events of the next requests. After the last event, the service no longer changes. */
  script: (events: readonly Event[]) => void;
  edit: (edit: Edit) => void;
  /** Makes the service respond 404 to requests for some articles from now on, although it has them. */
  deny: (ids: readonly string[]) => void;
  /** Requests since the last script. */
  readonly requests: number;
}

/** Models a service in memory, so that thousands of loads take seconds. */
export function createModelService(initial: ModelState, options: ModelOptions): ModelService {
  const states: ModelState[] = [initial];
  let events: readonly Event[] = [];
  let requests = 0;
  let serial = 0;
  /** The ids whose last response was a false 404. The next response is correct. */
  const failed = new Set<string>();
  let denied: readonly string[] = [];

  function edit({ kind, at }: Edit): void {
    const now = states.at(-1) ?? [];
    const changing = now.length - (options.keepsLast ? 1 : 0);
    const index = changing === 0 ? 0 : at % changing;
    const article = now[index];
    serial += 1;
    const content = `Version ${serial}.`;
    const others = now.toSpliced(index, 1);
    if (kind === 'insert') {
      states.push(now.toSpliced(index, 0, { id: `n${serial}`, title: `New ${serial}`, content }));
    } else if (article && index < changing) {
      const edited = { ...article, content };
      const next = { delete: others, edit: now.with(index, edited), move: [edited, ...others] };
      states.push(next[kind]);
    }
  }

  function respond(url: URL): Response {
    const event = events[requests];
    requests += 1;
    for (const each of event?.edits ?? []) edit(each);
    const state = states[Math.max(0, states.length - 1 - (event?.lag ?? 0))] ?? [];
    const id = /articles\/([^/]+)\/$/.exec(url.pathname)?.[1];
    if (id === undefined) return failure(event?.fault) ?? json(page(state, url.searchParams));
    if (event?.fault === '404' && !failed.delete(id)) {
      failed.add(id);
      return notFound();
    }
    const article = state.find((each) => each.id === id);
    if (!article || denied.includes(id)) return notFound();
    return failure(event?.fault) ?? json({ ...article, cover_image: null });
  }

  function page(state: ModelState, query: URLSearchParams): unknown {
    const limit = Math.min(Number(query.get('limit') ?? 100), options.maxLimit);
    const offset = Number(query.get('offset') ?? 0);
    const rows = state.slice(offset, offset + limit);
    const results = options.fullRows
      ? rows.map((article) => ({ ...article, cover_image: null }))
      : rows.map(({ id, title }) => ({ id, title }));
    if (options.envelope === 'array') return results;
    const next = offset + limit < state.length ? `?limit=${limit}&offset=${offset + limit}` : null;
    return options.envelope === 'counted'
      ? { count: state.length, next, results }
      : { next, results };
  }

  return {
    states,
    get requests() {
      return requests;
    },
    fetch: async (url) => respond(new URL(url)),
    script(next) {
      events = next;
      requests = 0;
      failed.clear();
    },
    edit,
    deny(ids) {
      denied = ids;
    },
  };
}

function failure(fault: ModelFault | undefined): Response | undefined {
  if (fault === 'network') throw new TypeError('fetch failed');
  if (fault === '429' || fault === '500') {
    return new Response('{"detail":"Not now."}', { status: Number(fault) });
  }
  if (fault === 'cut') return json(undefined, '{"results":[{"id":"');
  if (fault === 'html') {
    return new Response('<title>Sign in</title>', { headers: { 'content-type': 'text/html' } });
  }
  return undefined;
}

function notFound(): Response {
  return new Response('{"detail":"Not found."}', { status: 404 });
}

function json(value: unknown, text = JSON.stringify(value)): Response {
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}
