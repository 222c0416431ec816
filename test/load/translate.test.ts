import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { afterEach, expect, it, vi } from 'vitest';
import { type Api, type Translation, translateApi } from '../../src/client/index.ts';
import { articleSchema } from '../../src/content/schema.ts';
import type { Fetch } from '../../src/http/attempt.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { fixtureCover } from '../helpers/image-host.ts';
import { loadSite } from '../helpers/load-site.ts';
import { filesOf } from '../helpers/readme.ts';
import { temporaryFolder, temporaryServer } from '../helpers/temporary.ts';
import { skipPauses } from '../helpers/time.ts';
import { documentedOptions, translations } from '../helpers/translations.ts';

afterEach(() => vi.restoreAllMocks());

const key = 'key-of-the-other-api-0123456789';
const total = 250;

/** Posts from the newest one to the oldest. */
const makePosts = () =>
  Array.from({ length: total }, (_, index) => ({
    id: total - index,
    title: `Title ${total - index}`,
    text: `Text ${total - index}.`,
    cover: index % 3 ? '/media/tides.jpg' : null,
    edited: 0,
  }));
type Post = ReturnType<typeof makePosts>[number];

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
type Reply = [status: number, body: unknown, headers?: Record<string, string>];

interface Mock {
  reply(call: Call): Reply;
  /** The requests of a first load, of one without changes, and of one after an edit, without failures. */
  requests: [first: number, unchanged: number, edited: number];
}

const numbers = (search: URLSearchParams, ...names: string[]) =>
  names.map((name) => Number(search.get(name)));
const date = ({ id, edited }: Post) => new Date(1.7e12 + id * 6e4 + edited * 1e9).toISOString();
const firstDate = (post: Post) => date({ ...post, edited: 0 });

/** The text of a post with a link to another one on the host of the service. */
const htmlOf = ({ text }: Post, host: string) =>
  `<p>${text} <a href="https://${host}/title-1/">A link</a> <a href="https://${host}/a/b.pdf">A file</a></p>`;

const mocks: Record<string, Mock> = {
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
        content: { rendered: `\n${htmlOf(post, 'wordpress.example.com')}\n`, protected: false },
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
        ...{ slug: `title-${post.id}`, html: htmlOf(post, 'ghost.example.com') },
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

/** Starts a service with the API of a mock. It fails at times, with what \`failures\` returns for a number of a request. */
async function start({ reply }: Mock, posts: Post[]) {
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

/** Imports the file of the page that shows a translation, and the options that the page names for it. */
async function translationOf(name: string): Promise<ArticlesOptions> {
  const source = filesOf(translations)[`src/${name}.ts`] ?? '';
  const client = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url));
  const path = join(await temporaryFolder(), `${name}.ts`);
  const module = source
    .replace("'astro-articles/client'", JSON.stringify(client))
    .replace(/export const \w+/, 'const fetch');
  const options = ['fetch', ...documentedOptions(name)].join();
  await writeFile(path, `${module}\nexport const options = { ${options} };\n`);
  return (await import(path)).options;
}

const schema = (context: SchemaContext) => articleSchema(context).extend({ date: z.coerce.date() });

it.each(Object.entries(mocks))(
  'the documented translation for %s loads every article, in order, and edits',
  async (name, mock) => {
    skipPauses();
    const posts = makePosts();
    const service = await start(mock, posts);
    const root = await temporaryFolder();
    const options = await translationOf(name);
    const load = async (apiKey = key) => {
      service.log.length = 0;
      return loadSite({ root, schema }, { baseUrl: service.url, apiKey, ...options });
    };
    const expectAll = ({ failure, entries, warnings }: Awaited<ReturnType<typeof load>>) => {
      expect(failure).toBeUndefined();
      expect(warnings).toEqual([]);
      const inOrder = [...entries.values()].sort(
        (a, b) => Number(b.data.position) - Number(a.data.position),
      );
      const titleOf = ({ title }: Post) =>
        ({ wordpress: `${title} & more`, ghost: `${title} <b>` })[name] ?? title;
      expect(inOrder.map(({ data }) => data.title)).toEqual(posts.map(titleOf));
      expect(inOrder.map(({ data }) => data.date)).toEqual(
        posts.map((post) => new Date(firstDate(post))),
      );
      for (const { rendered } of entries.values()) {
        expect(rendered?.html).toContain('href="/articles/title-1/"');
        expect(rendered?.html).not.toContain('{%');
      }
      expect(inOrder.map(({ data }) => Boolean(data.cover_image))).toEqual(
        posts.map(({ cover }) => Boolean(cover)),
      );
      expect(
        inOrder.map(({ body }) => posts.findIndex(({ text }) => body?.includes(text))),
      ).toEqual(posts.map((_, index) => index));
    };

    // Every seventh request fails for a reason that passes.
    const failures: Reply[] = [
      [503, 'down'],
      [429, {}, { 'retry-after': '9' }],
      [502, '<html>'],
      [200, '{"cut'],
    ];
    service.failures = (count) => (count % 7 === 2 ? failures[(count / 7) & 3] : undefined);
    expectAll(await load());
    expect(service.log.length).toBeGreaterThan(mock.requests[0]);

    service.failures = () => undefined;
    expectAll(await load());
    expect(service.log).toHaveLength(mock.requests[1]);
    const [, edited] = posts;
    if (edited) Object.assign(edited, { text: 'Edited text.', edited: 1 });
    expectAll(await load());
    expect(service.log).toHaveLength(mock.requests[2]);
    for (const { headers } of service.log) expect(headers.has('x-project-api-key')).toBe(false);

    // One post is deleted, and one becomes a draft.
    posts.splice(5, 1);
    service.drafts = posts.splice(7, 1);
    expectAll(await load());

    if (name === 'wordpress') return;
    const { failure } = await load('another-key-0123456789');
    expect(failure).toMatchObject({ code: 'unauthorized' });
    expect(`${failure?.message}`).not.toContain('another-key-0123456789');
  },
);

it('covers that need the key are requested by `getFile()`', async () => {
  const [post] = makePosts();
  const service = await start(
    {
      requests: [1, 1, 1],
      reply: () => [200, [{ ...post, content: 'c', cover_image: '/media/a' }]],
    },
    [],
  );
  service.needsKey = true;
  const authorize = ({ key }: Api) => ({ authorization: `Bearer ${key}` });
  const translation: Translation = {
    listRows: async (_, api) => ({ rows: (await api.get<object[]>('posts')).body, isEnd: true }),
    getArticle: async () => undefined,
  };
  const load = async (fetch: Fetch) => {
    const settings = { baseUrl: service.url, apiKey: key, fetch, rows: 'whole' } as const;
    return loadSite({ root: await temporaryFolder() }, settings);
  };
  const without = await load(translateApi(translation));
  expect(without.warnings).toEqual([expect.stringContaining('its server responded 401')]);
  const getFile: Translation['getFile'] = (url, api) => api.fetch(url, authorize(api));
  const { warnings, entries, failure } = await load(translateApi({ ...translation, getFile }));
  expect(failure).toBeUndefined();
  expect(warnings).toEqual([]);
  expect([...entries.values()][0]?.data.cover_image).toBeTruthy();
});

it('an error of a translation is the same from another copy of the package', async () => {
  vi.resetModules();
  const { translateApi } = await import('../../src/client/translate.ts');
  const fetch = translateApi({
    listRows: () => Promise.reject(new Error('no rows')),
    getArticle: () => Promise.reject(new Error('no article')),
  });
  const settings = { baseUrl: 'http://127.0.0.1:9', apiKey: key, fetch, retries: 0 };
  const { failure } = await loadSite({ root: await temporaryFolder() }, settings);
  expect(failure).toMatchObject({ code: 'unexpected-shape', attempts: 1 });
});
