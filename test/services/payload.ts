import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inText, toMarkdown } from './articles.ts';
import { installPackages, responds, start } from './programs.ts';
import { createApi, once, pdfForm, pictureForm, randomKey, type Service } from './server.ts';

const authorName = 'The Editors';
const packages = { payload: '3.90.2', '@payloadcms/db-sqlite': '3.90.2' };

/** Payload with SQLite and the collection of the page, without its admin pages, which need Next.js. */
export const payload: Service = {
  name: 'Payload',
  programs: {},
  uploads: /^\/api\/media\/file\//,
  unchanged: { api: 1, files: 0 },

  async start({ folder, packages: installed, port, url }) {
    const env = await installPackages(installed, packages);
    await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'server.mjs'), application(port));
    await start('node', ['server.mjs'], {
      cwd: folder,
      // Payload looks for the development server of Next.js otherwise.
      env: { ...env, DISABLE_PAYLOAD_HMR: 'true' },
      isReady: () => responds(`http://127.0.0.1:${port}/api/users/init`),
    });

    const base = `${url}/api`;
    const { token } = await createApi(base)<{ token: string }>('POST', '/users/first-register', {
      email: 'admin@example.com',
      password: randomKey(),
    });
    const api = createApi(base, { authorization: `JWT ${token}` });
    const key = randomKey();
    const reader = { email: 'site@example.com', password: randomKey() };
    await api('POST', '/users', { ...reader, enableAPIKey: true, apiKey: key });
    const author = await api<{ doc: { id: number } }>('POST', '/users', {
      ...{ name: authorName, email: 'author@example.com', password: randomKey() },
    });

    const upload = once(async (picture) => {
      const form = await pictureForm(picture);
      return (await api<{ doc: { id: number; url: string } }>('POST', '/media', form)).doc;
    });
    const uploaded = await api<{ doc: { url: string } }>('POST', '/media', pdfForm());
    const document = uploaded.doc.url;
    const ids = new Map<string, number>();
    return {
      version: packages.payload,
      key,
      document: url + document,
      // `createdAt` is the time at which the server saves an article.
      hasOwnDates: false,
      author: authorName,
      async save(article) {
        const { name, slug, title, description, cover, isDraft } = article;
        const id = ids.get(name);
        const picture = (await upload(inText)).url;
        const next = `/articles/${article.next}/`;
        const content = toMarkdown(article, { picture, document, next });
        const path = `/articles/${id ?? ''}`;
        const saved = await api<{ doc: { id: number } }>(id ? 'PATCH' : 'POST', path, {
          ...{ slug, title, description, content },
          cover: cover && (await upload(cover)).id,
          author: author.doc.id,
          _status: isDraft ? 'draft' : 'published',
        });
        ids.set(name, saved.doc.id);
      },
      german: {
        query: { locale: 'de', 'fallback-locale': 'none' },
        async save({ name, title, text }) {
          const body = { title, content: text, _status: 'published' };
          await api('PATCH', `/articles/${ids.get(name)}?locale=de`, body);
        },
      },
      async remove({ name }) {
        await api('DELETE', `/articles/${ids.get(name)}`);
      },
    };
  },
};

/** Returns a program that serves the API of Payload with the collections of the page. */
const application = (port: number) => `import { createServer } from 'node:http';
import { sqliteAdapter } from '@payloadcms/db-sqlite';
import { buildConfig, handleEndpoints } from 'payload';

const config = buildConfig({
  secret: '${randomKey()}',
  telemetry: false,
  localization: { locales: ['en', 'de'], defaultLocale: 'en' },
  db: sqliteAdapter({ client: { url: 'file:data.db' } }),
  collections: [
    { slug: 'users', auth: { useAPIKey: true }, fields: [{ name: 'name', type: 'text' }] },
    // As in a new application.
    { slug: 'media', access: { read: () => true }, upload: true, fields: [] },
    {
      slug: 'articles',
      versions: { drafts: true },
      fields: [
        { name: 'title', type: 'text', localized: true },
        { name: 'slug', type: 'text' },
        { name: 'description', type: 'textarea' },
        { name: 'content', type: 'textarea', localized: true },
        { name: 'author', type: 'relationship', relationTo: 'users' },
        { name: 'cover', type: 'upload', relationTo: 'media' },
      ],
    },
  ],
});

createServer(async (incoming, outgoing) => {
  const { method, headers, url } = incoming;
  const body = method === 'GET' ? undefined : incoming;
  const request = new Request('http://' + headers.host + url, {
    method,
    headers,
    body,
    duplex: 'half',
  });
  const response = await handleEndpoints({ config, request });
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}).listen(${port}, '127.0.0.1');
`;
