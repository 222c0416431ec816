import { cp, mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type Article, escapeHtml, inText, toBlocks } from './articles.ts';
import { responds, run, start } from './programs.ts';
import { createApi, once, type Place, pdf, readPicture, type Service, typeOf } from './server.ts';

/** Debian's WordPress, with PHP's own web server and a MariaDB that listens on a socket only. */
export const wordpress: Service = {
  name: 'WordPress',
  programs: {
    mariadbd: 'mariadb-server',
    'mariadb-install-db': 'mariadb-server',
    mariadb: 'mariadb-server',
    php: 'php-cli php-mysql php-xml php-gd',
    '/usr/share/wordpress/wp-load.php': 'wordpress',
  },
  uploads: /^\/wp-content\//,
  unchanged: { api: 2, files: 0 },

  async start(place) {
    const { folder, port, url } = place;
    const socket = await startDatabase(folder);
    const { password, version } = await install(place, socket);
    const args = ['-d', 'memory_limit=256M', '-S', `127.0.0.1:${port}`, '-t', 'www', 'router.php'];
    await start('php', args, {
      cwd: folder,
      env: { PHP_CLI_SERVER_WORKERS: '4' },
      isReady: () => responds(`http://127.0.0.1:${port}/wp-json/wp/v2/posts`),
    });

    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
    const api = createApi(`${url}/wp-json/wp/v2/`, { authorization });
    const uploadFile = (name: string, type: string, bytes: Uint8Array) =>
      api<{ id: number; source_url: string }>('POST', 'media', bytes, {
        'content-type': type,
        'content-disposition': `attachment; filename="${name}"`,
      });
    const upload = once(async (picture) =>
      uploadFile(picture, typeOf(picture), await readPicture(picture)),
    );
    const { source_url: document } = await uploadFile(pdf.name, pdf.type, pdf.bytes);
    const createTag = once(async (name: string) =>
      api<{ id: number }>('POST', 'tags', { name: escapeHtml(name) }),
    );
    const ids = new Map<string, number>();
    return {
      version,
      // The API is public.
      key: 'no-key-is-needed',
      document,
      hasOwnDates: true,
      hasTags: true,
      async save(article: Article) {
        const { id, source_url: picture } = await upload(inText);
        const links = { picture, document, next: `${url}/${article.next}/` };
        const saved = await api<{ id: number }>('POST', `posts/${ids.get(article.name) ?? ''}`, {
          slug: article.slug,
          title: escapeHtml(article.title),
          content: toBlocks(article, links, id),
          excerpt: article.description ?? '',
          tags: await Promise.all(article.tags.map(async (name) => (await createTag(name)).id)),
          date_gmt: article.date.slice(0, 19),
          status: article.isDraft ? 'draft' : 'publish',
          featured_media: article.cover ? (await upload(article.cover)).id : 0,
        });
        ids.set(article.name, saved.id);
      },
      async remove({ name }) {
        await api('DELETE', `posts/${ids.get(name)}?force=true`);
      },
      titleOf: curlyQuotes,
    };
  },
};

/** Replaces straight quotes, as WordPress does in titles. */
function curlyQuotes(title: string): string {
  return title
    .replace(/(?<!\w)"/g, '“')
    .replaceAll('"', '”')
    .replaceAll("'", '’');
}

/** Starts MariaDB with an empty database, and returns the path of its socket. */
async function startDatabase(cwd: string): Promise<string> {
  const socket = join(cwd, 'db.sock');
  const own = ['--no-defaults', `--user=${userInfo().username}`, `--datadir=${join(cwd, 'db')}`];
  const rights = '--auth-root-authentication-method=normal';
  await run('mariadb-install-db', [...own, rights, '--skip-test-db'], { cwd });
  const query = (sql: string) =>
    run('mariadb', ['--no-defaults', `--socket=${socket}`, '--user=root', `--execute=${sql}`], {
      cwd,
    });
  await start('mariadbd', [...own, '--skip-networking', `--socket=${socket}`], {
    cwd,
    isReady: async () => Boolean(await query('select 1')),
  });
  await query('create database wordpress character set utf8mb4');
  return socket;
}

/** Copies Debian's files, installs a site, and returns a password for its API. */
async function install(
  { folder, url }: Place,
  socket: string,
): Promise<{ password: string; version: string }> {
  const www = join(folder, 'www');
  await mkdir(www);
  // Debian's configuration is for all sites of the machine.
  await cp('/usr/share/wordpress', www, {
    recursive: true,
    dereference: true,
    filter: (path) => !/wp-config\.php$|\.htaccess$|wp-content\/languages/.test(path),
  });
  await writeFile(join(www, 'wp-config.php'), configuration(url, socket));
  await writeFile(join(folder, 'router.php'), router);
  await writeFile(join(folder, 'install.php'), installation);
  const args = ['-d', 'sendmail_path=/bin/true', 'install.php'];
  return JSON.parse(await run('php', args, { cwd: folder }));
}

/** Returns `wp-config.php`. The environment is local, because application passwords need https in others. */
const configuration = (url: string, socket: string) => `<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:${socket}');
define('DB_CHARSET', 'utf8mb4');
define('WP_HOME', '${url}');
define('WP_SITEURL', '${url}');
define('WP_ENVIRONMENT_TYPE', 'local');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
$table_prefix = 'wp_';
require_once ABSPATH . 'wp-settings.php';
`;

const router = `<?php
$path = urldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
if (is_file(__DIR__ . '/www' . $path)) return false;
$_SERVER['PHP_SELF'] = $_SERVER['SCRIPT_NAME'] = '/index.php';
chdir(__DIR__ . '/www');
require 'index.php';
`;

/** Installs a site whose permalinks are post names, and removes the sample post. */
const installation = `<?php
define('WP_INSTALLING', true);
require 'www/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Articles', 'admin', 'admin@example.com', true, '', wp_generate_password(24));
update_option('permalink_structure', '/%postname%/');
wp_delete_post(1, true);
$name = array('name' => 'Articles');
list($password) = WP_Application_Passwords::create_new_application_password(1, $name);
echo json_encode(array('password' => $password, 'version' => get_bloginfo('version')));
`;
