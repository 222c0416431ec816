import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inText, toMarkdown } from './articles.ts';
import { compilers, installPackages, responds, start } from './programs.ts';
import { createApi, once, pdfForm, pictureForm, type Service } from './server.ts';

const packages = { '@strapi/strapi': '5.54.0', 'better-sqlite3': '12.8.0' };
const account = { email: 'admin@example.com', password: 'Password-of-tests-1' };

/** Strapi with SQLite and the collection type of the page, without its admin pages. */
export const strapi: Service = {
  name: 'Strapi',
  programs: compilers,
  uploads: /^\/uploads\//,
  // Strapi sends pictures with `max-age=0` and without an ETag, so each build requests them.
  unchanged: { api: 2, files: 6 },

  async start({ folder, packages: installed, port, url }) {
    const env = await installPackages(installed, packages, 'better-sqlite3');
    await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'));
    for (const [path, text] of Object.entries(application(port))) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await start('node', ['node_modules/@strapi/strapi/bin/strapi.js', 'start'], {
      cwd: folder,
      env: { ...env, NODE_ENV: 'production', STRAPI_TELEMETRY_DISABLED: 'true' },
      isReady: () => responds(`http://127.0.0.1:${port}/_health`),
    });

    const { data: admin } = await createApi(url)<{ data: { token: string } }>(
      'POST',
      '/admin/register-admin',
      { ...account, firstname: 'A', lastname: 'B' },
    );
    const manage = createApi(url, { authorization: `Bearer ${admin.token}` });
    const createToken = async (body: { type: string; permissions: string[] | null }) => {
      const token = { ...body, name: body.type, description: '', lifespan: null };
      const created = await manage<{ data: { accessKey: string } }>(
        'POST',
        '/admin/api-tokens',
        token,
      );
      return created.data.accessKey;
    };
    await manage('POST', '/i18n/locales', { name: 'German', code: 'de', isDefault: false });
    const writer = await createToken({ type: 'full-access', permissions: null });
    const permissions = ['api::article.article.find', 'api::article.article.findOne'];
    const key = await createToken({ type: 'custom', permissions });

    const api = createApi(`${url}/api`, { authorization: `Bearer ${writer}` });
    const upload = once(async (picture) => {
      const form = await pictureForm(picture, 'files');
      const [file] = await api<[{ id: number; url: string }]>('POST', '/upload', form);
      return file;
    });
    const [{ url: document }] = await api<[{ url: string }]>('POST', '/upload', pdfForm('files'));
    const ids = new Map<string, string>();
    return {
      version: packages['@strapi/strapi'],
      key,
      document: url + document,
      // `createdAt` is the time at which the server saves an article.
      hasOwnDates: false,
      async save(article) {
        const { name, slug, title, description, cover, isDraft } = article;
        const id = ids.get(name);
        const picture = (await upload(inText)).url;
        const next = `/articles/${article.next}/`;
        const content = toMarkdown(article, { picture, document, next });
        const fields = { slug, title, description, content };
        const data = { ...fields, cover: cover && (await upload(cover)).id };
        const path = `/articles/${id ?? ''}?status=${isDraft ? 'draft' : 'published'}`;
        const saved = await api<{ data: { documentId: string } }>(id ? 'PUT' : 'POST', path, {
          data,
        });
        ids.set(name, saved.data.documentId);
        // Only the API of its admin pages makes a draft of a published article.
        const entry = `/content-manager/collection-types/api::article.article/${id}`;
        if (id && isDraft) await manage('POST', `${entry}/actions/unpublish`, {});
      },
      async remove({ name }) {
        await api('DELETE', `/articles/${ids.get(name)}`);
      },
      german: {
        query: { locale: 'de' },
        async save({ name, slug, title, text }) {
          const data = { slug, title, content: text };
          await api('PUT', `/articles/${ids.get(name)}?locale=de&status=published`, { data });
        },
      },
    };
  },
};

/** The files of an application with the collection type `article`. */
function application(port: number): Record<string, string> {
  const module = (value: unknown) => `module.exports = ${JSON.stringify(value)};\n`;
  const core = (kind: string) =>
    `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::article.article');\n`;
  const secret = 'secret-of-tests-0123456789';
  const article = 'src/api/article';
  const localized = { i18n: { localized: true } };
  return {
    'package.json': JSON.stringify({ name: 'articles', version: '1.0.0', dependencies: packages }),
    'config/server.js': module({
      host: '127.0.0.1',
      port,
      app: { keys: [secret] },
      logger: { updates: { enabled: false } },
    }),
    'config/admin.js': module({
      serveAdminPanel: false,
      auth: { secret },
      apiToken: { salt: secret },
      transfer: { token: { salt: secret } },
      secrets: { encryptionKey: secret },
    }),
    'config/database.js': module({
      connection: {
        client: 'sqlite',
        useNullAsDefault: true,
        connection: { filename: 'data.db' },
      },
    }),
    // As in a new application.
    'config/api.js': module({ rest: { defaultLimit: 25, maxLimit: 100, withCount: true } }),
    'config/plugins.js': module({ 'users-permissions': { config: { jwtSecret: secret } } }),
    'config/middlewares.js': module(
      ['errors', 'security', 'cors', 'query', 'body', 'favicon', 'public'].map(
        (name) => `strapi::${name}`,
      ),
    ),
    'public/uploads/.gitkeep': '',
    [`${article}/content-types/article/schema.json`]: JSON.stringify({
      kind: 'collectionType',
      collectionName: 'articles',
      info: { singularName: 'article', pluralName: 'articles', displayName: 'Article' },
      options: { draftAndPublish: true },
      pluginOptions: localized,
      attributes: {
        title: { type: 'string', pluginOptions: localized },
        slug: { type: 'string' },
        description: { type: 'text' },
        content: { type: 'richtext', pluginOptions: localized },
        cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
      },
    }),
    [`${article}/controllers/article.js`]: core('Controller'),
    [`${article}/routes/article.js`]: core('Router'),
    [`${article}/services/article.js`]: core('Service'),
  };
}
