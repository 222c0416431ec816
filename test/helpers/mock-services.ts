import sharp from 'sharp';
import directus from '../../fixtures/recordings/directus.json' with { type: 'json' };
import ghost from '../../fixtures/recordings/ghost.json' with { type: 'json' };
import payload from '../../fixtures/recordings/payload.json' with { type: 'json' };
import strapi from '../../fixtures/recordings/strapi.json' with { type: 'json' };
import wordpress from '../../fixtures/recordings/wordpress.json' with { type: 'json' };
import { type Exchange, type Recording, recordedOrigin } from '../services/record.ts';
import { temporaryServer } from './temporary.ts';

// The APIs of other services, for which the documentation has translations. `npm run test:services -- --record` records
// the responses of their servers with one article, from which the mocks make those with many.

/** The key of each service. */
export const key = 'key-of-the-other-api-0123456789';
const total = 210;

/** Posts from the newest one to the oldest. */
export const makePosts = (length = total) =>
  Array.from({ length }, (_, index) => ({
    id: length - index,
    title: `Title ${length - index} & <em>more</em>`,
    text: `Text ${length - index}.`,
    cover: index % 3 ? null : '/media/tides.jpg',
    edited: 0,
  }));
export type Post = ReturnType<typeof makePosts>[number];

interface Call {
  path: string;
  search: URLSearchParams;
  headers: Headers;
  /** The published posts. */
  posts: Post[];
  drafts: Post[];
  origin: string;
}
/** The status, the body and more headers of a response. */
export type Reply = [status: number, body: unknown, headers?: Record<string, string>];

export interface Mock {
  reply(call: Call): Reply;
  /** The requests of a first load, of one without changes, and of one after an edit, without failures. */
  requests: [first: number, unchanged: number, edited: number];
}

const date = ({ id, edited }: Post) => new Date(1.7e12 + id * 6e4 + edited * 1e9).toISOString();
/** The time of publication. */
export const firstDate = (post: Post) => date({ ...post, edited: 0 });

const slugOf = ({ id }: Post) => `title-${id}`;
const urlOf = (post: Post) => `${recordedOrigin}/${slugOf(post)}/`;

/** How a mock lists posts. */
interface Listing {
  requests: Mock['requests'];
  /** The names of the parameters with the first post, or the page that has it, and with the number of posts. */
  range: [start: string, limit: string];
  /** The most posts in a range. @default as many as are requested */
  maxLimit?: number;
  /** Returns the fields that each post has with another value. Objects in a post get these values, too. */
  fields(post: Post): Record<string, string | number>;
  /** The name of the field with the id. @default 'id' */
  idField?: string;
  /** Whether drafts are listed, too. @default false */
  hasDrafts?: boolean;
  /** Returns the body of a list. */
  list(posts: Record<string, unknown>[], count: number): unknown;
  /** Returns headers of a list that is not empty. */
  headers?(count: number): Record<string, string>;
}

/** Makes a mock of the recorded responses of a server. */
function replay({ exchanges }: Recording, listing: Listing): Mock {
  const { list, behindTheEnd, article, articleWithCover, draft, deleted, wrongKey } = exchanges;
  const { requests, range, maxLimit = Infinity, fields, idField = 'id', hasDrafts } = listing;
  const { pathname: listPath } = new URL(list.path, recordedOrigin);

  /** Returns the recorded response for an article, with a post in its place. */
  function respond(post: Post, { drafts }: Call): Reply {
    const published = post.cover ? articleWithCover : article;
    const { status, body, headers } = drafts.includes(post) ? draft : published;
    const changed = fields(post);
    const text = JSON.stringify(body)
      .replace(/(title[ -])0\b/gi, `$1${post.id}`)
      .replaceAll('Text 0.', () => JSON.stringify(post.text).slice(1, -1));
    return [status, JSON.parse(text, (name, value) => changed[name] ?? value), headers];
  }

  function reply(call: Call): Reply {
    const { path, search, posts, drafts } = call;
    const isList = path === listPath;
    const refused = refuse(call, isList ? list : article, wrongKey);
    if (refused) return refused;
    const all = [...posts, ...drafts].sort((a, b) => b.id - a.id);
    if (!isList) {
      const id = path.slice(listPath.length).replaceAll('/', '');
      const post = all.find((each) => String(fields(each)[idField]) === id);
      return post ? respond(post, call) : [deleted.status, deleted.body, deleted.headers];
    }
    const listed = hasDrafts ? all : posts;
    const [start = 0, size = 0] = range.map((name) => Number(search.get(name)));
    const limit = Math.min(size, maxLimit);
    const offset = range[0] === 'page' ? (start - 1) * limit : start;
    const rows = listed.slice(offset, offset + limit).map((post) => postIn(respond(post, call)[1]));
    const headers = { ...list.headers, ...listing.headers?.(listed.length) };
    const isEmpty = rows.length === 0;
    return [200, listing.list(rows, listed.length), isEmpty ? behindTheEnd.headers : headers];
  }
  return { requests, reply };
}

/** Returns the post in a response with one. */
function postIn(body: unknown): Record<string, unknown> {
  const { data, posts } = Object(body);
  return data ?? posts?.[0] ?? body;
}

/**
 * Returns the response to a request that lacks a parameter or header of the recorded request, or has another value there.
 * Numbers may differ.
 */
function refuse(
  { search, headers }: Call,
  { path, sent }: Exchange,
  wrongKey: Exchange | undefined,
): Reply | undefined {
  const { searchParams } = new URL(path, recordedOrigin);
  for (const [name, value] of [...searchParams, ...Object.entries(sent)]) {
    const given = search.get(name) ?? headers.get(name);
    if (given === value.replace('KEY', key) || /^\d+$/.test(value)) continue;
    if (wrongKey && value.includes('KEY')) return [wrongKey.status, wrongKey.body];
    return [500, { message: `${name} is ${given}, and was recorded as ${value}` }];
  }
  return undefined;
}

export const mocks: Record<string, Mock> = {
  strapi: replay(strapi, {
    requests: [3, 3, 3],
    range: ['pagination[start]', 'pagination[limit]'],
    maxLimit: strapi.exchanges.list.body.meta.pagination.limit,
    fields: (post) => ({
      documentId: `document${post.id}`,
      createdAt: firstDate(post),
      updatedAt: date(post),
      publishedAt: date(post),
    }),
    idField: 'documentId',
    list(data, count) {
      const { body } = strapi.exchanges.list;
      const pagination = { ...body.meta.pagination, total: count };
      return { ...body, data, meta: { ...body.meta, pagination } };
    },
  }),

  wordpress: replay(wordpress, {
    requests: [3 + total, 3, 4],
    range: ['offset', 'per_page'],
    // Without a zone.
    fields: (post) => ({
      id: post.id,
      slug: slugOf(post),
      link: urlOf(post),
      date_gmt: firstDate(post).slice(0, 19),
      modified_gmt: date(post).slice(0, 19),
    }),
    list: (posts) =>
      posts.map(({ id, modified_gmt, slug, link, content }) => ({
        ...{ id, modified_gmt, slug, link },
        content: { protected: Object(content).protected },
      })),
    headers: (count) => ({ 'x-wp-total': String(count) }),
  }),

  ghost: replay(ghost, {
    requests: [3, 3, 3],
    range: ['page', 'limit'],
    fields: (post) => ({
      id: post.id.toString(16).padStart(24, '0'),
      slug: slugOf(post),
      url: urlOf(post),
      published_at: firstDate(post),
      updated_at: date(post),
    }),
    list(posts, count) {
      const { body } = ghost.exchanges.list;
      const pagination = { ...body.meta.pagination, total: count };
      return { ...body, posts, meta: { ...body.meta, pagination } };
    },
  }),

  directus: replay(directus, {
    // The second page is empty.
    requests: [2, 2, 2],
    range: ['offset', 'limit'],
    fields: (post) => ({ id: post.id, published: firstDate(post) }),
    hasDrafts: true,
    list(data, count) {
      const { body } = directus.exchanges.list;
      return { ...body, data, meta: { ...body.meta, filter_count: count } };
    },
  }),

  payload: replay(payload, {
    requests: [3, 3, 3],
    range: ['page', 'limit'],
    fields: (post) => ({ id: post.id, createdAt: firstDate(post), updatedAt: date(post) }),
    hasDrafts: true,
    list: (docs, count) => ({ ...payload.exchanges.list.body, docs, totalDocs: count }),
  }),

  // Made from its documentation. Has no total, and its rows have no text.
  forem: {
    // The second page is empty.
    requests: [2 + total, 2, 3],
    reply({ path, search, headers, posts, origin }) {
      const error = (status: number): Reply => [status, { error: 'not found', status }];
      const row = (post: Post) => ({
        ...{ type_of: 'article', id: post.id, title: post.title, slug: slugOf(post) },
        ...{ description: 'A description.', cover_image: post.cover && origin + post.cover },
        ...{
          published_at: firstDate(post),
          edited_at: post.edited ? date(post) : null,
        },
      });
      if (headers.get('api-key') !== key) return error(401);
      if (!headers.get('accept')?.startsWith('application/vnd.forem.api-v1')) return error(406);
      const [, , , id] = path.split('/');
      if (id) {
        const post = posts.find((each) => String(each.id) === id);
        const link = '[A link](https://dev.to/your-name/title-1)';
        const body_markdown = `${post?.text} ${link}\n\n{% embed https://youtu.be/a %}\n`;
        return post ? [200, { ...row(post), body_markdown }] : error(404);
      }
      if (search.get('username') !== 'your-name') return [200, []];
      const [page, limit] = [Number(search.get('page')), Number(search.get('per_page'))];
      return [200, posts.slice((page - 1) * limit, page * limit).map(row)];
    },
  },
};

/** Starts a service with the API of a mock. It fails at times, with what `failures` returns for a number of a request. */
export async function startMock({ reply }: Mock, posts: Post[]) {
  const log: { path: string; headers: Headers }[] = [];
  const service = {
    ...{ url: '', log, failures: (_: number): Reply | undefined => undefined },
    drafts: [] as Post[],
    /** Whether covers need the key. */
    needsKey: false,
  };
  const create = { width: 16, height: 9, channels: 3 as const, background: 'navy' };
  const cover = await sharp({ create }).jpeg().toBuffer();
  const server = await temporaryServer((request, response) => {
    const { pathname: path, searchParams: search } = new URL(request.url ?? '/', service.url);
    if (/^\/assets\/|\.(?:jpg|webp)$/.test(path)) {
      const isRefused = service.needsKey && request.headers.authorization !== `Bearer ${key}`;
      return isRefused ? response.writeHead(401).end() : response.end(cover);
    }
    const headers = new Headers(request.headers as Record<string, string>);
    log.push({ path: request.url ?? '', headers });
    const { url: origin, drafts } = service;
    const call = { path, search, headers, posts, drafts, origin };
    const [status, body, more] = service.failures(log.length) ?? reply(call);
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.end(text.replaceAll(recordedOrigin, origin));
  });
  return Object.assign(service, server);
}
