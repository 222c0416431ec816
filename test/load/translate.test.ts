import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { afterEach, expect, it, vi } from 'vitest';
import {
  type Api,
  createArticlesClient,
  type Translation,
  translateApi,
} from '../../src/client/index.ts';
import { articleSchema } from '../../src/content/schema.ts';
import type { Fetch } from '../../src/http/send.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { loadSite } from '../helpers/load-site.ts';
import {
  firstDate,
  key,
  type Mock,
  makePosts,
  mocks,
  type Post,
  type Reply,
  startMock,
} from '../helpers/mock-services.ts';
import { filesOf } from '../helpers/readme.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { skipPauses } from '../helpers/time.ts';
import { translations } from '../helpers/translations.ts';

afterEach(() => vi.restoreAllMocks());

const sourceOf = (name: string) => filesOf(translations)[`services/${name}.ts`] ?? '';

/** Imports the options of a file that the page shows. */
async function translationOf(name: string): Promise<ArticlesOptions> {
  const source = sourceOf(name);
  const client = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url));
  const path = join(await temporaryFolder(), `${name}.ts`);
  await writeFile(path, source.replace("'astro-articles/client'", JSON.stringify(client)));
  return (await import(path)).service;
}

const site = {
  schema: (context: SchemaContext) => articleSchema(context).extend({ date: z.coerce.date() }),
  // Takes most of the time otherwise.
  markdown: { syntaxHighlight: false as const },
};

it.each(Object.entries(mocks))(
  'the documented translation for %s loads every article, in order, and edits',
  async (name, mock) => {
    skipPauses();
    const posts = makePosts();
    const service = await startMock(mock, posts);
    const root = await temporaryFolder();
    const options = await translationOf(name);
    const load = async (apiKey = key) => {
      service.log.length = 0;
      return loadSite({ root, ...site }, { baseUrl: service.url, apiKey, ...options });
    };
    const expectAll = ({ failure, entries, warnings }: Awaited<ReturnType<typeof load>>) => {
      expect(failure).toBeUndefined();
      expect(warnings).toEqual([]);
      const inOrder = [...entries.values()].sort(
        (a, b) => Number(b.data.position) - Number(a.data.position),
      );
      expect(inOrder.map(({ data }) => data.title)).toEqual(posts.map(({ title }) => title));
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

it.each(
  ['wordpress', 'ghost'].flatMap((name) =>
    ['', '2026/03/'].map((folder) => [name, folder] as const),
  ),
)(
  'only links to listed posts lead to pages with the documented translation for %s, and posts below "/%s"',
  async (name, folder) => {
    const mock = mocks[name] as Mock;
    const reply: Mock['reply'] = (call) => {
      const [status, body, ...headers] = mock.reply(call);
      const text = JSON.stringify(body).replaceAll(/\.com\/(?=title-)/g, `$&${folder}`);
      return [status, JSON.parse(text), ...headers];
    };
    const posts = makePosts();
    const service = await startMock({ ...mock, reply }, posts);
    const links = {
      [`/${folder}title-1/`]: '/articles/title-1/',
      [`/${folder}title-1/#part`]: '/articles/title-1/#part',
      [`/${folder}title-1`]: '/articles/title-1/',
      [`/${folder}title-1/?ref=home`]: '/articles/title-1/',
      [`/${folder}title-999/`]: `${service.url}/${folder}title-999/`,
      '/about/': `${service.url}/about/`,
      '/about/#title-1/': `${service.url}/about/#title-1/`,
    };
    const [newest] = posts as [Post];
    newest.text = Object.keys(links)
      .map((path) => `<a href="${service.url}${path}">A link</a>`)
      .join();
    const options = { ...(await translationOf(name)), baseUrl: service.url, apiKey: key };
    const { entries } = await loadSite({ root: await temporaryFolder(), ...site }, options);
    const html = [...entries.values()].find(({ data }) => data.slug === 'title-210')?.rendered
      ?.html;
    const shown = Array.from(`${html}`.matchAll(/<a href="([^"]*)">A link</g), ([, href]) => href);
    expect(shown).toEqual(Object.values(links));
  },
);

it.each(['strapi', 'payload', 'directus', 'wordpress', 'ghost'])(
  'the option `query` is part of each request of the documented translation for %s',
  async (name) => {
    const mock = mocks[name] as Mock;
    const service = await startMock(mock, makePosts(3));
    const { fetch } = await translationOf(name);
    const query = { locale: 'de' };
    const settings = { baseUrl: service.url, apiKey: key, ...(fetch && { fetch }), query };
    const client = createArticlesClient(settings);
    const { rows } = await client.listPage();
    await client.getArticle(String(Object(rows[0]).id));
    expect(service.log).toHaveLength(2);
    for (const { path } of service.log) expect(path).toContain('locale=de');
  },
);

it.each(['strapi', 'payload'])(
  'relations are names, and no field of a user is stored, with the documented translation for %s',
  async (name) => {
    const mock = mocks[name] as Mock;
    const reply: Mock['reply'] = (call) => {
      const replied = mock.reply(call);
      for (const post of postsIn(replied[1]))
        Object.assign(post, {
          author: { id: 1, name: 'Ada', email: 'ada@example.com' },
          tags: [{ id: 1, name: 'Sea' }, 'Wind', { id: 2 }],
        });
      return replied;
    };
    const service = await startMock({ ...mock, reply }, makePosts(3));
    const options = { ...(await translationOf(name)), baseUrl: service.url, apiKey: key };
    const schema = (context: SchemaContext) =>
      articleSchema(context).extend({ author: z.string(), tags: z.array(z.string()) });
    const root = await temporaryFolder();
    const { failure, entries } = await loadSite({ ...site, root, schema }, options);
    expect(failure).toBeUndefined();
    expect([...entries.values()].map(({ data }) => [data.author, data.tags])).toEqual(
      Array.from({ length: 3 }, () => ['Ada', ['Sea', 'Wind']]),
    );
    expect(JSON.stringify([...entries.values()])).not.toContain('ada@');
  },
);

it('a localized text that Payload leaves out is a draft, and costs no request', async () => {
  const mock = mocks.payload as Mock;
  const reply: Mock['reply'] = (call) => {
    const replied = mock.reply(call);
    for (const post of postsIn(replied[1])) if (post.id !== 2) delete post.content;
    return replied;
  };
  const service = await startMock({ ...mock, reply }, makePosts(3));
  const options = { ...(await translationOf('payload')), baseUrl: service.url, apiKey: key };
  const { failure, entries } = await loadSite({ root: await temporaryFolder(), ...site }, options);
  expect(failure).toBeUndefined();
  expect([...entries.keys()]).toEqual(['2']);
  expect(service.log).toHaveLength(1);
});

it('a post of WordPress has its own slug and is linked by it, unless it has a password', async () => {
  const mock = mocks.wordpress as Mock;
  const [cyrillic, isProtected] = ['%d0%bc%d0%be%d1%80%d0%b5', '%d1%82%d0%b0%d0%b9%d0%bd%d0%b0'];
  const reply: Mock['reply'] = (call) => {
    const [status, body, ...headers] = mock.reply(call);
    const text = JSON.stringify(body)
      .replaceAll('title-2', cyrillic)
      .replaceAll('title-1', isProtected);
    const posts = JSON.parse(text);
    for (const post of [posts].flat()) if (post.id === 1) post.content.protected = true;
    return [status, posts, ...headers];
  };
  const posts = makePosts(3);
  const service = await startMock({ ...mock, reply }, posts);
  const hrefs = [
    `/${cyrillic}/`,
    `/${cyrillic.toUpperCase().replaceAll('%D', '%d')}`,
    `/${isProtected}/`,
  ];
  Object.assign(posts[0] as Post, {
    text: hrefs.map((href) => `<a href='${href}'>x</a>`).join(''),
  });
  const options = { ...(await translationOf('wordpress')), baseUrl: service.url, apiKey: key };
  const { entries } = await loadSite({ root: await temporaryFolder(), ...site }, options);
  expect(entries.get('2')?.data.slug).toBe('море');
  const html = `${entries.get('3')?.rendered?.html}`;
  expect(
    Array.from(html.matchAll(/href="([^"]*)">x</g), ([, href]) => decodeURI(`${href}`)),
  ).toEqual(['/articles/море/', '/articles/море/', `${service.url}/тайна/`]);
});

it('a film of Ghost has as its poster the thumbnail of its author, or else the one that was taken from it', async () => {
  const posts = makePosts(1);
  const film = (thumbnail: string, custom: string) =>
    `<figure class="kg-card kg-video-card" data-kg-thumbnail="${thumbnail}" data-kg-custom-thumbnail="${custom}"><div><video src="https://a.example/a.mp4" poster="data:image/gif;base64,R0lGOD" controls></video></div></figure>`;
  const [taken, custom] = ['https://a.example/t.jpg', 'https://a.example/c.jpg'];
  Object.assign(posts[0] as Post, { text: film(taken, '') + film('', '') + film(taken, custom) });
  const service = await startMock(mocks.ghost as Mock, posts);
  const options = { ...(await translationOf('ghost')), baseUrl: service.url, apiKey: key };
  const { entries } = await loadSite({ root: await temporaryFolder(), ...site }, options);
  const html = `${[...entries.values()][0]?.rendered?.html}`;
  expect(html.match(/<video\b/g)).toHaveLength(3);
  expect(html.match(/poster="[^"]*"/g)).toEqual([`poster="${taken}"`, `poster="${custom}"`]);
});

it('an item of Directus with a date in the future is left out, and a replaced cover has another URL', async () => {
  const mock = mocks.directus as Mock;
  let modified_on = '2026-01-01T00:00:00.000Z';
  const covers: string[] = [];
  const reply: Mock['reply'] = (call) => {
    const replied = mock.reply(call);
    for (const post of postsIn(replied[1])) {
      if (post.id === 3) post.published = '9999-01-01T00:00:00';
      if (post.cover) Object.assign(post.cover, { modified_on });
    }
    return replied;
  };
  const service = await startMock({ ...mock, reply }, makePosts(3));
  const options = await translationOf('directus');
  const root = await temporaryFolder();
  const transform: ArticlesOptions['transform'] = (article, context) => {
    if (article.cover_image) covers.push(article.cover_image);
    return options.transform?.(article, context);
  };
  const load = () =>
    loadSite({ root, ...site }, { ...options, transform, baseUrl: service.url, apiKey: key });
  expect([...(await load()).entries.keys()].sort()).toEqual(['1', '2']);
  const before = covers.splice(0).at(-1);
  modified_on = '2026-02-02T00:00:00.000Z';
  await load();
  expect(covers.at(-1)).toMatch(/^\/assets\/.*\?v=\d+$/);
  expect(covers.at(-1)).not.toBe(before);
});

it('with `--force`, a cover that is still fresh is requested again', async () => {
  const service = await startMock(mocks.payload as Mock, makePosts(2));
  const root = await temporaryFolder();
  const options = { ...(await translationOf('payload')), baseUrl: service.url, apiKey: key };
  const requested: string[] = [];
  const fetch: Fetch = (url, init) => {
    if (url.endsWith('.jpg') || url.endsWith('.webp')) requested.push(url);
    return options.fetch ? options.fetch(url, init) : Promise.reject();
  };
  const load = () => loadSite({ root, ...site }, { ...options, fetch });
  await load();
  expect(requested).toHaveLength(1);
  await load();
  expect(requested).toHaveLength(1);
  process.argv.push('--force');
  await load().finally(() => process.argv.pop());
  expect(requested).toHaveLength(2);
});

/** Values that the type of a field does not allow; undefined is an absent field. */
const oddValues = [null, '', undefined, 47.11, { text: 'Text' }, [1], true];

/** Returns the posts of a response of a mock. */
function postsIn(body: unknown): Record<string, unknown>[] {
  const { data = body, posts = data, docs = posts } = Object(body);
  return (Array.isArray(docs) ? docs : [docs]).filter((post) => 'title' in Object(post));
}

/** Returns the paths of all fields of a post, and of the fields of objects in it. */
function fieldsOf(post: object): string[][] {
  return Object.entries(post).flatMap(([name, value]) => [
    [name],
    ...(value && typeof value === 'object' ? fieldsOf(value).map((path) => [name, ...path]) : []),
  ]);
}

function setField(post: object, [name = '', ...path]: readonly string[], value: unknown): void {
  if (path.length > 0) setField(Object(Object(post)[name]), path, value);
  else if (value === undefined) Reflect.deleteProperty(post, name);
  else Reflect.set(post, name, value);
}

it.each(Object.entries(mocks))(
  'a post whose fields have another type harms no other post with the documented translation for %s',
  async (name, mock) => {
    const options = await translationOf(name);
    const source = sourceOf(name);
    /** Returns whether a field is one of the post, or is in an object and has a name that the translation uses. */
    const isUsed = (path: string[]) =>
      path.length === 1 || path.every((part) => /^\d+$/.test(part) || source.includes(part));
    const idField = name === 'strapi' ? 'documentId' : 'id';
    skipPauses();
    /** The ids of the posts that were sent, each with the number of its odd field. */
    const numberOf = new Map<string, number>();
    const paths = new Map<string, string[]>();
    let odd: { path: string[]; value: unknown }[] = [];
    const reply: Mock['reply'] = (call) => {
      const replied = mock.reply(call);
      for (const post of postsIn(replied[1])) {
        for (const path of fieldsOf(post).filter(isUsed)) paths.set(path.join('.'), path);
        const id = String(post[idField]);
        const number = numberOf.get(id) ?? numberOf.size;
        numberOf.set(id, number);
        const { path = [], value } = odd[number] ?? {};
        if (path.length > 0) setField(post, path, value);
      }
      return replied;
    };
    const load = async (posts: Post[]) => {
      numberOf.clear();
      const { url } = await startMock({ ...mock, reply }, posts);
      const loaded = await loadSite(
        { root: await temporaryFolder(), ...site },
        { ...options, baseUrl: url, apiKey: key, failOn: ['service'], entryId: 'id' },
      );
      expect(numberOf.size).toBe(posts.length);
      return loaded;
    };
    expect((await load(makePosts(6))).entries.size).toBe(6);

    paths.delete(idField);
    odd = [...paths.values()].flatMap((path) => oddValues.map((value) => ({ path, value })));
    const posts = makePosts(odd.length + 6).map((post) => ({ ...post, cover: '/media/tides.jpg' }));
    const { failure, entries, log } = await load(posts);
    expect(failure).toBeUndefined();
    const reached = { shown: 0, named: 0 };
    for (const [id, number] of numberOf) {
      const { path = [], value } = odd[number] ?? {};
      if (path.length === 0) expect(entries.has(id)).toBe(true);
      else if (entries.has(id)) reached.shown += 1;
      else if (new RegExp(`article "${id}"`, 'i').test(log)) reached.named += 1;
      else expect.soft({ id, path, value }).toBe('shown or named');
    }
    expect(Math.min(...Object.values(reached))).toBeGreaterThan(10);
  },
);

interface WikiBody {
  error?: { code: string; info: string };
  continue?: { cmcontinue: string };
  query: { pages: { pageid: number; title: string; lastrevid: number }[] };
  parse: { pageid: number; title: string; revid: number; text: string };
}

/** The translation of a wiki whose list has pages by token, and whose errors have the status 200. */
const wiki: Translation = {
  async listRows({ offset, limit }, api) {
    const pages: WikiBody['query']['pages'] = [];
    let token: string | undefined = '';
    while (token !== undefined) {
      const { body }: { body: WikiBody } = await api.get<WikiBody>(`api.php?cmcontinue=${token}`);
      if (body.error) throw new Error(body.error.info);
      pages.push(...body.query.pages);
      token = body.continue?.cmcontinue;
    }
    pages.sort((a, b) => b.pageid - a.pageid);
    const rows = pages.map(({ pageid, title, lastrevid }) => ({ id: pageid, title, lastrevid }));
    return { rows: rows.slice(offset, offset + limit), count: rows.length };
  },
  async getArticle(id, api) {
    const { body } = await api.get<WikiBody>(`api.php?action=parse&pageid=${id}`);
    if (body.error?.code === 'nosuchpageid') return undefined;
    if (body.error) throw new Error(body.error.info);
    const { pageid, title, revid, text } = body.parse;
    return { id: pageid, title, content: text, lastrevid: revid };
  },
};

it('a wiki with pages by token, and errors of status 200, loads every page, edits and deletions', async () => {
  skipPauses();
  const perPage = 60;
  const posts = makePosts();
  /** The path that has an error, if one has. */
  let failing: RegExp | undefined;
  const reply: Mock['reply'] = ({ path, search }) => {
    if (failing?.test(`${path}?${search}`)) {
      return [200, { error: { code: 'readonly', info: 'The wiki is closed.' } }];
    }
    const id = search.get('pageid');
    if (id !== null) {
      const post = posts.find((each) => String(each.id) === id);
      if (!post) return [200, { error: { code: 'nosuchpageid', info: 'There is no page.' } }];
      const parse = { pageid: post.id, title: post.title, revid: post.edited };
      return [200, { parse: { ...parse, text: `<p>${post.text}</p>` } }];
    }
    const from = Number(search.get('cmcontinue'));
    const next = from + perPage;
    const pages = posts.slice(from, next).map(({ id, title, edited }) => ({
      ...{ pageid: id, title, lastrevid: edited },
    }));
    const more = next < posts.length && { continue: { cmcontinue: String(next) } };
    // A category has no order by time.
    return [200, { ...more, query: { pages: pages.toReversed() } }];
  };
  const service = await startMock({ requests: [0, 0, 0], reply }, posts);
  const root = await temporaryFolder();
  const load = async (failOn: ArticlesOptions['failOn'] = ['articles', 'service']) => {
    service.log.length = 0;
    const rows = { changedBy: 'lastrevid' };
    const fetch = translateApi(wiki);
    const options: ArticlesOptions = { fetch, rows, format: 'html', failOn };
    return loadSite({ root }, { baseUrl: service.url, apiKey: key, ...options });
  };
  const textsOf = ({ entries }: Awaited<ReturnType<typeof load>>) =>
    posts.map(({ id }) => entries.get(String(id))?.rendered?.html);
  const expectAll = (loaded: Awaited<ReturnType<typeof load>>) => {
    expect(loaded.failure).toBeUndefined();
    expect(loaded.warnings).toEqual([]);
    expect(loaded.entries.size).toBe(posts.length);
    expect(textsOf(loaded)).toEqual(posts.map(({ text }) => `<p>${text}</p>`));
  };
  expectAll(await load());
  expectAll(await load());
  expect(service.log.map(({ path }) => path)).not.toContainEqual(expect.stringContaining('parse'));

  const [first, , third] = posts;
  if (first) Object.assign(first, { text: 'Edited.', edited: 1 });
  expectAll(await load());
  posts.splice(1, 1);
  expectAll(await load());

  // The second page of the list has an error, and then an article.
  failing = /cmcontinue=60/;
  const closed = await load();
  expect(closed.failure).toMatchObject({ code: 'unexpected-shape', status: 200 });
  expect(closed.failure?.message).toContain('The wiki is closed.');
  failing = new RegExp(`pageid=${third?.id}$`);
  if (third) third.edited = 2;
  const { failure, warnings, entries } = await load(['service']);
  expect(failure).toBeUndefined();
  expect(warnings.join()).toContain(`article "${third?.id}"`);
  expect(warnings.join()).toContain('The wiki is closed.');
  expect(entries.size).toBe(posts.length);
});

it('covers that need the key are requested by `getFile()`', async () => {
  const [post] = makePosts();
  const service = await startMock(
    {
      requests: [1, 1, 1],
      reply: () => [200, [{ ...post, content: 'c', cover_image: '/media/a.jpg' }]],
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
