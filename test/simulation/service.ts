/** An article of the simulated service at one time. */
export interface Version {
  title: string;
  /** Empty for a draft. */
  content: string;
  cover: string | null;
  /** Its own slug. */
  slug?: string | undefined;
  /** Grows with each change of any article. */
  serial: number;
  /** A field that is a number: `title`, which the contract forbids, or `grade`, which the schema of the site forbids. */
  isBroken: false | 'title' | 'grade';
  /** How often only its row has changed: see `rankOf()`. */
  moves: number;
}

/** The articles of a project at one time, the newest first. */
export type State = ReadonlyMap<string, Version>;

export const acts = [
  ...(['write', 'rewrite', 'rename', 'draft', 'publish', 'break', 'spoil'] as const),
  ...(['remove', 'return', 'move', 'bury', 'cover', 'repaint'] as const),
  ...(['name', 'name', 'withdraw'] as const),
];

/** A change of one article. */
export interface Edit {
  act: (typeof acts)[number];
  id: string;
  /** The index of a new title, or of an own slug. */
  title: number;
}

/** Few, so that articles get titles that they or others have had. */
export const titles = ['Tides', 'Über uns', 'A, b & c!', 'Tides-a1'];

/** Slugs that others have with some title, or had. Articles have one or none as their own. */
export const ownSlugs = ['tides-a1', 'tides-b2', 'plain', undefined];

const plain = { cover: null, isBroken: false as const, moves: 0 };

/** How the service lists its articles. A correct service may have any of these. */
export interface Manner {
  rows: 'full' | 'summary' | 'dated';
  envelope: 'counted' | 'linked' | 'array';
  maxLimit: number;
  hasValidators: boolean;
  order: 'newest-first' | 'oldest-first';
}

/** What is wrong with the service until it recovers. */
export const troubles = [
  ...(['down', 'unknown', 'html', 'cut', 'flaky', 'throttled', 'hanging', 'redirecting'] as const),
  ...(['counts too many', 'counts too few', 'lagging', 'cached', 'denying'] as const),
  ...(['without images', 'cutting images', 'refusing', 'unfetchable', 'listing junk'] as const),
  // Twice, because they matter only in combination with others.
  ...(['unordered', 'unordered', 'repeating', 'repeating'] as const),
  ...(['changing', 'changing', 'late'] as const),
];
export type Trouble = (typeof troubles)[number];

export const origin = 'https://articles.example';

/** The key of each project, and another one of the first. `other` has a further collection of the site. */
export const keys = {
  main: 'key-of-main-0123456789',
  other: 'key-of-other-0123456789',
  staging: 'key-of-staging-0123456789',
};
export const nextKey = 'next-key-of-main-0123456789';
export type Project = keyof typeof keys;

/** The number of states that a lagging replica may be behind. */
export const maxLag = 2;

/** Models a service with two projects in memory. */
export class Service {
  manner: Manner = {
    ...{ rows: 'full', envelope: 'counted', maxLimit: 100, hasValidators: false },
    order: 'newest-first',
  };
  troubles: ReadonlySet<Trouble> = new Set();
  /** Every state so far, the current one last. */
  readonly states: Record<Project, State[]> = {
    ...{ main: [new Map()], other: [new Map()], staging: [new Map()] },
  };
  /** Ids of articles that were withdrawn, and the status of the responses for them. Others that are gone are 404. */
  readonly withdrawn = new Map<string, 401 | 403>();
  /** Changes before the response with that number, counted from the last `begin()`. */
  #edits: ReadonlyMap<number, readonly Edit[]> = new Map();
  #requests = 0;
  #readings = 0;
  #serial = 0;
  /** How often the image of each path was replaced. */
  readonly editions = new Map<string, number>();
  /** The number of requests for single articles, also for those that are gone, and for images. */
  singles = 0;

  begin(edits: ReadonlyMap<number, readonly Edit[]> = new Map()): void {
    this.#edits = edits;
    this.#requests = 0;
    this.#readings = 0;
  }

  /** Whether a listing may lack an article that the service has. */
  get isLacking(): boolean {
    return this.troubles.has('cached') || this.troubles.has('late');
  }

  now(project: Project): State {
    return this.states[project].at(-1) ?? new Map();
  }

  /** Changes an article; false when it has no effect. */
  edit({ act, id, title }: Edit, project: Project = 'main'): boolean {
    const now = new Map(this.now(project));
    const article = now.get(id);
    this.#serial += 1;
    const serial = this.#serial;
    const content = `Version ${serial}.${serial % 3 === 0 ? `\n\n![](/media/${serial}.png)` : ''}`;
    const named = `${titles[title]}${project === 'staging' ? ' of staging' : ''}`;
    const written: Version = { ...plain, title: named, content, serial };
    if (act === 'write' || act === 'return') {
      if (article) return false;
      const last = act === 'return' && this.states[project].findLast((state) => state.has(id));
      const earlier = last ? last.get(id) : undefined;
      if (act === 'return' && !earlier) return false;
      this.withdrawn.delete(`${project} ${id}`);
      now.set(id, earlier ?? written);
      // New articles are first.
      if (act === 'write') this.#push(project, new Map([[id, written], ...now]));
      else this.#push(project, now);
      return true;
    }
    if (!article) return false;
    if (act === 'repaint') {
      const paths = imagesOf(article);
      for (const path of paths) this.editions.set(path, (this.editions.get(path) ?? 0) + 1);
      return paths.length > 0;
    }
    if (act === 'withdraw') this.withdrawn.set(`${project} ${id}`, title % 2 === 0 ? 401 : 403);
    if (act === 'remove' || act === 'withdraw' || act === 'bury') now.delete(id);
    if (act === 'bury') return this.#push(project, now.set(id, article));
    if (act === 'remove' || act === 'withdraw') return this.#push(project, now);
    if (act === 'move') {
      now.delete(id);
      const moved = { ...article, moves: article.moves + 1 };
      return this.#push(project, new Map([[id, moved], ...now]));
    }
    const change = {
      rewrite: { content, isBroken: false as const },
      rename: { title: named },
      name: { slug: ownSlugs[title] },
      draft: { content: '' },
      publish: { content, isBroken: false as const },
      break: { isBroken: 'title' as const },
      spoil: { isBroken: 'grade' as const },
      cover: { cover: article.cover ? null : `/media/${serial}.jpg` },
    }[act];
    return this.#push(project, now.set(id, { ...article, ...change, serial }));
  }

  /** Adds many articles, or removes them. */
  flood(): true {
    const others = [...this.now('main')].filter(([id]) => !id.startsWith('m'));
    if (others.length < this.now('main').size) return this.#push('main', new Map(others));
    const serial = ++this.#serial;
    const many = Array.from({ length: 24 }, (_, index): [string, Version] => {
      // Most of them are drafts where `transform` leaves out the last title.
      const title = index % 3 === 0 ? `Many ${index}` : String(titles.at(-1));
      return [`m${index}`, { ...plain, title, content: `Version ${serial}.`, serial }];
    });
    return this.#push('main', new Map([...many, ...others]));
  }

  /** Adds an article, or removes the one that was added, so that all rows move. */
  #shiftRows(project: Project): void {
    const added = [...this.now(project).keys()].find((id) => id.startsWith('n'));
    const id = added ?? `n${this.#serial}`;
    this.edit({ act: added ? 'remove' : 'write', id, title: 0 }, project);
  }

  #push(project: Project, state: State): true {
    this.states[project].push(state);
    return true;
  }

  /** Responds to a request. `hang` never resolves. */
  respond(url: URL, headers: Headers, hang: () => Promise<Response>): Response | Promise<Response> {
    const sent = headerValues(headers);
    const project =
      (['staging', 'other'] as const).find((name) => sent.includes(keys[name])) ?? 'main';
    for (const edit of this.#edits.get(this.#requests) ?? []) this.edit(edit);
    // Rows that move in one direction, and pages that are cut in the other, can look complete, and lack any article.
    if (this.troubles.has('changing') && this.isOrdered) this.#shiftRows(project);
    this.#requests += 1;
    const turn = this.#requests;
    const { troubles } = this;
    const isHit = (turn * 7) % 3 === 0;
    if (troubles.has('down')) return new Response('', { status: 503 });
    if (troubles.has('html')) {
      return new Response('<title>Sign in</title>', { headers: { 'content-type': 'text/html' } });
    }
    if (troubles.has('redirecting')) {
      return new Response('', { status: 302, headers: { location: 'https://other.example/' } });
    }
    if (troubles.has('refusing')) return new Response('', { status: 401 });
    if (troubles.has('hanging')) return hang();
    if (troubles.has('cut') && isHit) return new Response('{"results":[{"id":"');
    if (troubles.has('flaky') && isHit) return new Response('', { status: 500 });
    if (troubles.has('throttled') && isHit) {
      return new Response('', { status: 429, headers: { 'retry-after': '1' } });
    }
    const states = this.states[project];
    // A listing of several ages without an order can look complete, and lack any article.
    const isLagging = troubles.has('lagging') && this.isOrdered;
    const lag = isLagging ? (turn * 5 + this.#serial) % (maxLag + 1) : 0;
    const state = states[Math.max(0, states.length - 1 - lag)] ?? new Map();
    const id = /articles\/([^/]+)\/$/.exec(url.pathname)?.[1];
    if (id === undefined) {
      if (url.searchParams.get('offset') === '0') this.#readings += 1;
      const isCached = troubles.has('cached');
      const isLate = troubles.has('late') && this.#readings === 1;
      const listed = isCached || isLate ? this.#withoutOne(state) : state;
      const headers: HeadersInit = isCached ? { age: '9' } : {};
      return Response.json(this.#page(listed, url.searchParams, turn), { headers });
    }
    this.singles += 1;
    if (troubles.has('unfetchable')) return new Response('', { status: 500 });
    const article = troubles.has('denying') ? undefined : state.get(decodeURIComponent(id));
    const status = this.withdrawn.get(`${project} ${decodeURIComponent(id)}`) ?? 404;
    if (!article) return Response.json({ detail: 'Not found.' }, { status });
    return this.#single(decodeURIComponent(id), article, headers);
  }

  /** Responds with an image, whose comment contains its path and edition. */
  respondWithImage({ pathname }: URL, headers: Headers): Response {
    this.singles += 1;
    if (this.troubles.has('down')) return new Response('', { status: 503 });
    if (this.troubles.has('without images')) return new Response('', { status: 404 });
    const edition = this.editions.get(pathname) ?? 0;
    const etag = `"${edition}"`;
    if (headers.get('if-none-match') === etag) return new Response(null, { status: 304 });
    const bytes = gifOf(`${pathname}#${edition};`);
    const body = this.troubles.has('cutting images') ? bytes.subarray(0, -9) : bytes;
    return new Response(body, { headers: this.manner.hasValidators ? { etag } : {} });
  }

  #single(id: string, article: Version, headers: Headers): Response {
    if (!this.manner.hasValidators) return Response.json(fieldsOf(id, article));
    const etag = `"${article.serial}"`;
    if (headers.get('if-none-match') === etag) return new Response(null, { status: 304 });
    return Response.json(fieldsOf(id, article), { headers: { etag } });
  }

  /** Whether the listing has the articles only, in one order, which only changes of the service change. */
  get isOrdered(): boolean {
    const unsteady = ['unordered', 'repeating', 'listing junk'] as const;
    return !unsteady.some((trouble) => this.troubles.has(trouble));
  }

  /** Returns a state from before one of its articles was listed: as a cache has it, or a replica that is late. */
  #withoutOne(state: State): State {
    const [lacked] = [...state.keys()].slice(this.#serial % Math.max(1, state.size));
    return new Map([...state].filter(([id]) => id !== lacked));
  }

  /** Returns the rows as the table has them. Without an order, they may be at other places for each page. */
  #ordered<T>(rows: readonly T[], { turn, offset }: { turn: number; offset: number }): T[] {
    let shift = 0;
    if (this.troubles.has('unordered')) shift = turn * 3;
    if (this.troubles.has('repeating') && offset > 0) shift = 1;
    const at = rows.length - (shift % Math.max(1, rows.length));
    return [...rows.slice(at), ...rows.slice(0, at)];
  }

  #page(state: State, query: URLSearchParams, turn: number): unknown {
    const { rows, envelope, maxLimit } = this.manner;
    const limit = Math.min(Number(query.get('limit') ?? 100), maxLimit);
    const offset = Number(query.get('offset') ?? 0);
    const all = this.manner.order === 'newest-first' ? [...state] : [...state].toReversed();
    const junk = { ...plain, title: 'Junk', content: 'Junk', serial: 0 };
    if (this.troubles.has('listing junk')) all.splice(1, 0, ['', junk]);
    const ordered = this.#ordered(all, { turn, offset });
    const results = ordered.slice(offset, offset + limit).map(([id, article]) => {
      const rank = rankOf(article);
      if (rows === 'full') return { ...fieldsOf(id, article), rank };
      const { title, updated_at } = fieldsOf(id, article);
      return rows === 'dated' ? { id, title, updated_at, rank } : { id, title, rank };
    });
    const more = offset + limit < all.length;
    const next = more ? `?limit=${limit}&offset=${offset + limit}` : null;
    const wrong =
      Number(this.troubles.has('counts too many')) - Number(this.troubles.has('counts too few'));
    if (envelope === 'array') return results;
    if (envelope === 'linked') return { next, results };
    return { count: Math.max(0, all.length + wrong), next, results };
  }
}

/** Returns the field that only the row of an article has. Rows lose it and get it again. */
export function rankOf({ moves }: Version): number | undefined {
  return moves % 2 === 0 ? moves : undefined;
}

/** Returns the fields of an article as the service sends them. */
function fieldsOf(id: string, { title, content, cover, slug, serial, isBroken }: Version) {
  const updated_at = `change ${serial}`;
  const fields = { id, title: isBroken === 'title' ? 7 : title, content, cover_image: cover };
  return {
    ...fields,
    // Null, not absent: a field that an article lacks is taken from its row, which may be newer while the service lags.
    slug: slug ?? null,
    given: slug ?? null,
    key: id,
    grade: isBroken === 'grade' ? 7 : 'A',
    serial,
    updated_at,
  };
}

/** Returns the paths of the images of an article: of its cover, and of that in its text. */
function imagesOf({ content, cover }: Version): string[] {
  return [cover ?? '', ...content.split(/[()]/).slice(1, 2)].filter(Boolean);
}

/** Returns a GIF of one pixel with a comment. */
function gifOf(comment: string): Buffer<ArrayBuffer> {
  const head = '47494638396101000100800000000000ffffff21fe';
  const pixel = '002c00000000010001000002024401003b';
  const text = Buffer.from([comment.length, ...Buffer.from(comment)]).toString('hex');
  return Buffer.from(head + text + pixel, 'hex');
}

export function isPublished({ content, isBroken }: Version): boolean {
  return content !== '' && !isBroken;
}

export function headerValues(headers: Headers): string {
  return [...headers].map(([, value]) => value).join('\n');
}
