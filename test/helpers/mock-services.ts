import { fixtureCover } from './image-host.ts';
import { temporaryServer } from './temporary.ts';

// The APIs of other services, for which the documentation has translations, with the responses of their servers.

/** The key of each service. */
export const key = 'key-of-the-other-api-0123456789';
const total = 210;

/** Posts from the newest one to the oldest. */
export const makePosts = () =>
  Array.from({ length: total }, (_, index) => ({
    id: total - index,
    title: `Title ${total - index}`,
    text: `Text ${total - index}.`,
    cover: index % 3 ? '/media/tides.jpg' : null,
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

const numbers = (search: URLSearchParams, ...names: string[]) =>
  names.map((name) => Number(search.get(name)));
const date = ({ id, edited }: Post) => new Date(1.7e12 + id * 6e4 + edited * 1e9).toISOString();
/** The time of publication. */
export const firstDate = (post: Post) => date({ ...post, edited: 0 });

/** The text of a post with a link to another one on the host of the service. */
const htmlOf = ({ text }: Post, origin: string) =>
  `<p>${text} <a href="${origin}/title-1/">A link</a> <a href="${origin}/a/b.pdf">A file</a></p>`;

export const mocks: Record<string, Mock> = {
  // Recorded from Strapi 5.54. Has a limit of rows of its own, and responds 404 to what its key does not allow.
  strapi: {
    requests: [3, 3, 3],
    reply({ path, search, headers, posts }) {
      const error = (status: number, name: string, message: string): Reply => [
        status,
        { data: null, error: { status, name, message, details: {} } },
      ];
      const document = (post: Post) => ({
        ...{ id: post.id, documentId: `document${post.id}`, title: post.title, description: null },
        content: `${post.text} [A link](/articles/title-1/)`,
        ...{ createdAt: firstDate(post), updatedAt: date(post), publishedAt: date(post) },
        cover: post.cover ? { id: 6, documentId: 'cover', url: post.cover, formats: {} } : null,
      });
      const missing = error(404, 'NotFoundError', 'Not Found');
      if (headers.get('authorization') !== `Bearer ${key}`)
        return error(401, 'UnauthorizedError', 'Missing or invalid credentials');
      const [, , name, id] = path.split('/');
      if (name !== 'articles' || search.get('populate') !== 'cover') return missing;
      if (id) {
        const post = posts.find((each) => `document${each.id}` === id);
        return post ? [200, { data: document(post), meta: {} }] : missing;
      }
      const [start = 0, limit = 25] = numbers(search, 'pagination[start]', 'pagination[limit]');
      const pageSize = Math.min(100, limit);
      const pagination = { start, limit: pageSize, total: posts.length };
      const data = posts.slice(start, start + pageSize).map(document);
      return [200, { data, meta: { pagination } }];
    },
  },

  // Recorded from WordPress 6.1 of Debian 12. Responds 400 for too large a page, and has the total in a header, except
  // behind the end.
  wordpress: {
    requests: [3 + total, 3, 4],
    reply({ path, search, posts, drafts, origin }) {
      const error = (status: number, code: string, message = ''): Reply => [
        status,
        { code, message, data: { status } },
      ];
      const render = (post: Post) => ({
        ...{ id: post.id, slug: `title-${post.id}`, status: 'publish' },
        // Without a zone.
        ...{ date_gmt: firstDate(post).slice(0, 19), modified_gmt: date(post).slice(0, 19) },
        title: { rendered: `${post.title} &#038; <em>more</em>` },
        content: { rendered: `\n${htmlOf(post, origin)}\n`, protected: false },
        excerpt: { rendered: '', protected: false },
        featured_media: post.cover ? 7 : 0,
        // A post without a cover has none.
        ...(post.cover && {
          _embedded: { 'wp:featuredmedia': [{ id: 7, source_url: origin + post.cover }] },
        }),
      });
      const [, id = ''] = /^\/wp-json\/wp\/v2\/posts\/?(.*)$/.exec(path) ?? [];
      if (id) {
        if (search.get('_embed') !== 'wp:featuredmedia') return error(500, 'test');
        const post = posts.find((each) => String(each.id) === id);
        if (drafts.some((each) => String(each.id) === id))
          return error(401, 'rest_forbidden', 'Sorry, you are not allowed to do that.');
        return post ? [200, render(post)] : error(404, 'rest_post_invalid_id', 'Invalid post ID.');
      }
      const [offset = 0, limit = 10] = numbers(search, 'offset', 'per_page');
      if (limit < 1 || limit > 100) return error(400, 'rest_invalid_param');
      const fields = search.get('_fields')?.split(',');
      const select = (post: object) =>
        fields
          ? Object.fromEntries(Object.entries(post).filter(([name]) => fields.includes(name)))
          : post;
      const rows = posts.slice(offset, offset + limit).map((post) => select(render(post)));
      return [200, rows, { 'x-wp-total': String(rows.length && posts.length) }];
    },
  },

  // Numbers its pages, lowers a limit, and takes the key in the query.
  ghost: {
    requests: [3, 3, 3],
    reply({ path, search, posts, origin }) {
      const error = (status: number, message: string): Reply => [status, { errors: [{ message }] }];
      const render = (post: Post) => ({
        ...{ id: post.id.toString(16).padStart(24, '0'), title: `${post.title} <b>`, uuid: 'u' },
        ...{ slug: `title-${post.id}`, html: htmlOf(post, origin) },
        ...{ custom_excerpt: null, feature_image: post.cover && origin + post.cover },
        ...{ published_at: firstDate(post), updated_at: date(post) },
      });
      if (search.get('key') !== key) return error(401, 'Unknown Content API Key');
      const [, id = ''] = /^\/ghost\/api\/content\/posts\/(?:(.*)\/)?$/.exec(path) ?? [];
      if (id) {
        const post = posts.map(render).find((each) => each.id === id);
        return post ? [200, { posts: [post] }] : error(404, 'Post not found.');
      }
      const [page = 1, given = 15] = numbers(search, 'page', 'limit');
      const limit = Math.min(100, given);
      const pagination = {
        page,
        limit,
        pages: Math.ceil(posts.length / limit),
        total: posts.length,
      };
      const rows = posts.slice((page - 1) * limit, page * limit).map(render);
      return [200, { posts: rows, meta: { pagination } }];
    },
  },

  // Recorded from Directus 12.3. Has no limit of its own, names a cover by its id, responds 403 to what is missing, and
  // lists drafts, too.
  directus: {
    // The second page is empty.
    requests: [2, 2, 2],
    reply({ path, search, headers, posts, drafts }) {
      const error = (status: number, code: string, message: string): Reply => [
        status,
        { errors: [{ message, extensions: { code } }] },
      ];
      const render = (post: Post) => ({
        ...{ id: post.id, title: post.title, slug: `title-${post.id}` },
        content: `${post.text} [A link](/articles/title-1/)`,
        status: drafts.includes(post) ? 'draft' : 'published',
        ...{ published: firstDate(post), cover: post.cover && 'a-file' },
      });
      const forbidden = error(403, 'FORBIDDEN', "You don't have permission to access this.");
      if (headers.get('authorization') !== `Bearer ${key}`)
        return error(401, 'INVALID_CREDENTIALS', 'Invalid user credentials.');
      if (search.get('fields') !== 'id,title,slug,content,status,published,cover') return forbidden;
      const all = [...posts, ...drafts].sort((a, b) => b.id - a.id);
      const [, , , id] = path.split('/');
      if (id) {
        const post = all.find((each) => String(each.id) === id);
        return post ? [200, { data: render(post) }] : forbidden;
      }
      const [offset = 0, limit = 100] = numbers(search, 'offset', 'limit');
      const data = all.slice(offset, offset + limit).map(render);
      return [200, { meta: { filter_count: all.length }, data }];
    },
  },

  // Numbers its pages.
  payload: {
    requests: [3, 3, 3],
    reply({ path, search, headers, posts, drafts }) {
      const error = (status: number, message: string): Reply => [status, { errors: [{ message }] }];
      // A user may read drafts, too, unless the access of the collection says otherwise.
      const all = [...posts, ...drafts];
      const render = (post: Post) => ({
        ...{ id: post.id, title: post.title, slug: `title-${post.id}`, createdAt: firstDate(post) },
        _status: drafts.includes(post) ? 'draft' : 'published',
        ...{ content: `${post.text} [A link](/articles/title-1/)`, updatedAt: date(post) },
        cover: post.cover ? { id: 7, url: post.cover } : null,
      });
      if (headers.get('authorization') !== `users API-Key ${key}`)
        return error(403, 'You are not allowed to perform this action.');
      const [, , , id] = path.split('/');
      if (id) {
        const post = all.find((each) => String(each.id) === id);
        return post ? [200, render(post)] : error(404, 'Not Found');
      }
      const [page = 1, limit = 10] = numbers(search, 'page', 'limit');
      const docs = all.slice((page - 1) * limit, page * limit).map(render);
      const hasNextPage = page * limit < all.length;
      return [200, { docs, totalDocs: all.length, limit, page, hasNextPage }];
    },
  },

  // Numbers its pages, has no total, and its rows have no text.
  forem: {
    // The second page is empty.
    requests: [2 + total, 2, 3],
    reply({ path, search, headers, posts, origin }) {
      const error = (status: number): Reply => [status, { error: 'not found', status }];
      const row = (post: Post) => ({
        ...{ type_of: 'article', id: post.id, title: post.title, slug: `title-${post.id}` },
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
        const link = '[A link](https://dev.to/your-name/title-1/)';
        const body_markdown = `${post?.text} ${link}\n\n{% embed https://youtu.be/a %}\n`;
        return post ? [200, { ...row(post), body_markdown }] : error(404);
      }
      if (search.get('username') !== 'your-name') return [200, []];
      const [page = 1, given = 30] = numbers(search, 'page', 'per_page');
      const limit = Math.min(1000, given);
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
  const cover = await fixtureCover('tides.jpg');
  const server = await temporaryServer((request, response) => {
    const { pathname: path, searchParams: search } = new URL(request.url ?? '/', service.url);
    if (path.startsWith('/media/') || path.startsWith('/assets/')) {
      const isRefused = service.needsKey && request.headers.authorization !== `Bearer ${key}`;
      return isRefused ? response.writeHead(401).end() : response.end(cover);
    }
    const headers = new Headers(request.headers as Record<string, string>);
    log.push({ path: request.url ?? '', headers });
    const { url: origin, drafts } = service;
    const call = { path, search, headers, posts, drafts, origin };
    const [status, body, more] = service.failures(log.length) ?? reply(call);
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return Object.assign(service, server);
}
