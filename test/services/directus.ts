import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inText, toHtml, toMarkdown } from './articles.ts';
import { differences, warningsIn } from './compare.ts';
import { compilers, installPackages, responds, run, start } from './programs.ts';
import {
  createApi,
  once,
  pdfForm,
  pictureForm,
  randomKey,
  type Server,
  type Service,
} from './server.ts';

const packages = { directus: '12.3.0' };
const compiled = 'sqlite3';

/** Directus with SQLite and the collection of the page, without a licence. Files need the key. */
export const directus: Service = {
  name: 'Directus',
  programs: compilers,
  uploads: /^\/assets\//,
  unchanged: { api: 2, files: 0 },

  async start({ folder, packages: installed, port, url }) {
    const node = await installPackages(installed, packages, compiled);
    await replaceIsolatedVm(join(installed, 'node_modules/isolated-vm'));
    const [admin, key] = [randomKey(), randomKey()];
    const env = {
      ...node,
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: url,
      TELEMETRY: 'false',
      // The limiter refuses requests on a busy machine.
      PRESSURE_LIMITER_ENABLED: 'false',
      DB_CLIENT: 'sqlite3',
      DB_FILENAME: join(folder, 'data.db'),
      KEY: randomKey(),
      SECRET: randomKey(),
      STORAGE_LOCAL_ROOT: join(folder, 'uploads'),
      ADMIN_EMAIL: 'admin@example.com',
      ADMIN_PASSWORD: randomKey(),
      ADMIN_TOKEN: admin,
    };
    const program = join(installed, 'node_modules/directus/cli.js');
    await run('node', [program, 'bootstrap'], { cwd: folder, env });
    const isReady = () => responds(`http://127.0.0.1:${port}/server/ping`);
    await start('node', [program, 'start'], { cwd: folder, env, isReady });

    const request = createApi(url, { authorization: `Bearer ${admin}` });
    const api = async <T>(method: string, path: string, body?: object): Promise<T> =>
      (await request<{ data: T } | undefined>(method, path, body))?.data as T;
    await createCollection(api);
    await createReader(api, key);

    const upload = once(async (picture) => {
      const form = await pictureForm(picture);
      return (await api<{ id: string }>('POST', '/files', form)).id;
    });
    const { id: documentId } = await api<{ id: string }>('POST', '/files', pdfForm());
    const document = `/assets/${documentId}`;
    const ids = new Map<string, number>();
    let write = toMarkdown;
    const server: Server = {
      version: packages.directus,
      key,
      document: url + document,
      publishFiles: () => allowFiles(api),
      hasOwnDates: true,
      async save(article) {
        const { name, slug, title, date, cover, isDraft } = article;
        const id = ids.get(name);
        const picture = `/assets/${await upload(inText)}`;
        const next = `/articles/${article.next}/`;
        const content = write(article, { picture, document, next });
        const [method, path] = id
          ? ['PATCH', `/items/articles/${id}`]
          : ['POST', '/items/articles'];
        const saved = await api<{ id: number }>(method, path, {
          slug,
          title,
          content,
          published: date,
          cover: cover && (await upload(cover)),
          status: isDraft ? 'draft' : 'published',
        });
        ids.set(name, saved.id);
      },
      async remove({ name }) {
        await api('DELETE', `/items/articles/${ids.get(name)}`);
      },
      async replaceFile(picture, file) {
        await api('PATCH', `/files/${await upload(picture)}`, await pictureForm(file));
      },
      // The texts in a WYSIWYG field, without the option for HTML and with it.
      async tryMore(site, articles, build) {
        const meta = { interface: 'input-rich-text-html' };
        await api('PATCH', '/fields/articles/content', { meta });
        write = toHtml;
        for (const article of articles) await server.save(article);
        const line = "format: 'html'";
        const problems = (await build()).includes(`Set \`${line}\``)
          ? []
          : [`no notice names ${line} for the texts of a WYSIWYG field`];
        const module = 'services/directus.ts';
        const translation = await site.read(module);
        await site.write(module, translation.replace('  fetch,\n', `$&  ${line},\n`));
        const warnings = warningsIn(await build());
        return [...problems, ...warnings, ...(await differences(site, server, articles))];
      },
    };
    return server;
  },
};

type Api = <T>(method: string, path: string, body?: object) => Promise<T>;

/** Creates the collection of the page, with a status. */
async function createCollection(api: Api): Promise<void> {
  const field = (name: string, type: string, special: string[] = []) => ({
    field: name,
    type,
    schema: {},
    meta: { special },
  });
  await api('POST', '/collections', {
    collection: 'articles',
    schema: {},
    meta: {},
    fields: [
      {
        field: 'id',
        type: 'integer',
        meta: {},
        schema: { is_primary_key: true, has_auto_increment: true },
      },
      ...['title', 'slug', 'status'].map((name) => field(name, 'string')),
      field('content', 'text'),
      field('published', 'timestamp'),
      field('cover', 'uuid', ['file']),
    ],
  });
  const relation = { collection: 'articles', field: 'cover', related_collection: 'directus_files' };
  await api('POST', '/relations', relation);
}

/** Creates a user with a token, who may read all articles and files: rules for some of them need a licence. */
async function createReader(api: Api, token: string): Promise<void> {
  const { id: policy } = await api<{ id: string }>('POST', '/policies', { name: 'Site' });
  const { id: role } = await api<{ id: string }>('POST', '/roles', {
    name: 'Site',
    policies: [{ policy }],
  });
  await api('POST', '/users', { email: 'site@example.com', role, token, status: 'active' });
  for (const collection of ['articles', 'directus_files']) {
    await allowReading(api, policy, collection);
  }
}

/** Lets everyone read all files. */
async function allowFiles(api: Api): Promise<void> {
  const search = 'filter[role][_null]=true&filter[user][_null]=true';
  const [access] = await api<[{ policy: string }]>('GET', `/access?${search}`);
  await allowReading(api, access.policy, 'directus_files');
}

async function allowReading(api: Api, policy: string, collection: string): Promise<void> {
  const rule = { policy, collection, permissions: {}, action: 'read', fields: ['*'] };
  await api('POST', '/permissions', rule);
}

/**
 * Writes an empty module in place of the compiled isolated-vm, which Directus 12 needs for scripts in its flows only. Not
 * every compiler compiles its version.
 */
async function replaceIsolatedVm(folder: string): Promise<void> {
  await mkdir(join(folder, 'out'), { recursive: true });
  await writeFile(join(folder, 'out/isolated_vm.js'), 'exports.ivm = {};\n');
}
