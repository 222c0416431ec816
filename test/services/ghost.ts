import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { arch } from 'node:process';
import { inText, toHtml } from './articles.ts';
import { valuesIn } from './compare.ts';
import { compilers, installPackages, responds, run, start } from './programs.ts';
import { createApi, once, pdfForm, pictureForm, randomKey, type Service } from './server.ts';

const version = '6.65.0';
const pnpm = `@pnpm/exe.linux-${arch}`;
/** The program that installs the packages of Ghost, and the version of better-sqlite3 that is one of them. */
const packages = { [pnpm]: '12.4.2', 'better-sqlite3': '12.11.1' };

/** Ghost with SQLite, as its developers run it. */
export const ghost: Service = {
  name: 'Ghost',
  programs: compilers,
  uploads: /^\/content\//,
  unchanged: { api: 1, files: 0 },

  async start({ folder, packages: installed, port, url }) {
    const { home, env } = await install(installed);
    const content = join(folder, 'content');
    await cp(join(home, 'content'), content, { recursive: true });
    await start('node', ['index.js'], {
      cwd: home,
      env: {
        ...env,
        NODE_ENV: 'development',
        url,
        server__port: String(port),
        paths__contentPath: content,
        database__connection__filename: join(folder, 'data.db'),
        // Sends no requests to other servers.
        privacy__useTinfoil: 'true',
      },
      isReady: () => responds(`http://127.0.0.1:${port}/ghost/api/admin/site/`),
    });

    const admin = `${url}/ghost/api/admin/`;
    const api = createApi(admin, { origin: url, cookie: await signIn(admin, url) });
    // The sample post.
    await api('DELETE', 'posts/?filter=slug:coming-soon');
    const { integrations } = await api<{
      integrations: [{ api_keys: { type: string; secret: string }[] }];
    }>('POST', 'integrations/?include=api_keys', { integrations: [{ name: 'Site' }] });
    const key = integrations[0].api_keys.find(({ type }) => type === 'content')?.secret;

    const upload = once(async (picture) => {
      const form = await pictureForm(picture);
      const { images } = await api<{ images: [{ url: string }] }>('POST', 'images/upload/', form);
      return images[0].url;
    });
    const { files } = await api<{ files: [{ url: string }] }>('POST', 'files/upload/', pdfForm());
    const document = files[0].url;
    const saved = new Map<string, { id: string; updated_at: string }>();
    return {
      version,
      key: key ?? '',
      document,
      hasOwnDates: true,
      hasTags: true,
      async save(article) {
        const { name, slug, title, description, tags, date, cover, isDraft } = article;
        const before = saved.get(name);
        const links = { picture: await upload(inText), document, next: `${url}/${article.next}/` };
        const post = {
          slug,
          title,
          html: toHtml(article, links),
          custom_excerpt: description,
          // Ghost names an internal tag by a hash.
          tags: ['#internal', ...tags].map((name) => ({ name })),
          published_at: date,
          feature_image: cover && (await upload(cover)),
          status: isDraft ? 'draft' : 'published',
          // Ghost refuses a change of a post that has another time of its last change.
          ...(before && { updated_at: before.updated_at }),
        };
        const [method, path] = before ? ['PUT', `posts/${before.id}/`] : ['POST', 'posts/'];
        const { posts } = await api<{ posts: [{ id: string; updated_at: string }] }>(
          method,
          `${path}?source=html`,
          { posts: [post] },
        );
        saved.set(name, posts[0]);
      },
      slugOf: (slug) => latinSlugs[slug] ?? slug,
      async remove({ name }) {
        await api('DELETE', `posts/${saved.get(name)?.id}/`);
      },
      // A film with the thumbnail that its editor takes from it, and one with a thumbnail of its author.
      async tryMore(site, _, build) {
        const form = await pictureForm('tides.jpg', 'thumbnail');
        form.append('file', new Blob(['film'], { type: 'video/mp4' }), 'film.mp4');
        const { media } = await api<{ media: [{ url: string; thumbnail_url: string }] }>(
          'POST',
          'media/upload/',
          form,
        );
        const [{ url: src, thumbnail_url: thumbnailSrc }] = media;
        const custom = await upload('compass.jpg');
        const children = ['', custom].map((customThumbnailSrc) => ({
          ...{ type: 'video', version: 1, src, thumbnailSrc, customThumbnailSrc },
          ...{ width: 1280, height: 720, duration: 12 },
        }));
        const root = { type: 'root', version: 1, children };
        const post = { title: 'Films', lexical: JSON.stringify({ root }), status: 'published' };
        await api('POST', 'posts/', { posts: [post] });
        await build();
        const html = await site.read('dist/articles/films/index.html');
        const [shown, written] = [valuesIn(html, 'video', 'poster'), [thumbnailSrc, custom]];
        return String(shown) === String(written) ? [] : [`the posters of films are ${shown}`];
      },
    };
  },
};

/** What Ghost makes of slugs in other scripts. */
const latinSlugs: Record<string, string> = {
  'история-моря': 'istoriia-moria',
  'قصة-البحر': 'qs-lbhr',
};

/**
 * Installs Ghost with its own lockfile, and better-sqlite3 as npm has compiled it. npm cannot install Ghost as a
 * dependency, because some of its dependencies are tarballs in its own tarball.
 */
async function install(folder: string) {
  const env = await installPackages(folder, packages, 'better-sqlite3');
  await run('npm', ['pack', `ghost@${version}`], { cwd: folder, env });
  await run('tar', ['-xzf', `ghost-${version}.tgz`], { cwd: folder });
  const home = join(folder, 'package');
  const args = ['install', '--prod', '--frozen-lockfile', '--ignore-scripts'];
  const store = `--store-dir=${join(folder, 'store')}`;
  await run(join(folder, 'node_modules', pnpm, 'pnpm'), [...args, store], { cwd: home, env });
  const compiled = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
  await cp(join(folder, compiled), join(home, compiled));
  return { home, env };
}

/** Creates the owner of the site, and returns the cookie of a session. */
async function signIn(admin: string, origin: string): Promise<string> {
  const [email, password] = ['admin@example.com', randomKey()];
  const owner = { name: 'Admin', email, password, blogTitle: 'Articles' };
  await createApi(admin)('POST', 'authentication/setup/', { setup: [owner] });
  const response = await fetch(`${admin}session/`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ username: email, password }),
  });
  // Ghost saves the session before it sends the end of the body.
  await response.text();
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.replace(/;.*/, ''));
  return cookies.join('; ');
}
