import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type MakeArticlesOptions, makeArticle } from '../../../fixtures/articles.ts';
import { startService } from '../../../fixtures/service.ts';
import { openMirror } from '../../../src/mirror/mirror.ts';
import { withoutArticles, withPages } from '../../../src/redirects/history.ts';
import { pageOf } from '../../../src/redirects/pages.ts';
import { withCollection, writePublished } from '../../../src/redirects/published.ts';
import { packageVersion } from '../../../src/shared/version.ts';
import { loadSite } from '../../helpers/load-site.ts';

// node test/load/released-forms/write.ts
// Writes what this version leaves for later ones, into a folder with its name: a mirror, and a published history of paths.

const baseUrl = 'https://articles.example';
const look = { words: [5, 10] } satisfies MakeArticlesOptions;
const service = await startService({
  apiKey: 'key',
  articles: [
    { ...makeArticle(3, { ...look, cover: 'compass.jpg' }), title: 'Third' },
    { ...makeArticle(2, look), title: 'Second', content: '' },
    { ...makeArticle(1, look), title: 'First' },
  ],
});
const root = await mkdtemp(join(tmpdir(), 'form-'));
await writeFile(join(root, 'package-lock.json'), '{}');

/** Loads the articles, and adds their pages to the mirror, as a build does. */
async function build() {
  const { failure, entries } = await loadSite(
    { root },
    {
      ...{ baseUrl, apiKey: 'key', mirrorDir: 'mirror' },
      fetch: (url, init) => fetch(url.replace(baseUrl, service.url), init),
    },
  );
  if (failure) throw failure;
  const parent = join(root, 'mirror');
  const mirror = openMirror({ parent, collection: 'articles', baseUrl: `${baseUrl}/` });
  const pages = [...entries.values()].map(
    ({ id, data }) => [id, [pageOf(`1 posts/${data.slug}`)]] as const,
  );
  const paths = withPages(mirror.paths, new Map(pages));
  mirror.writePaths(paths);
  mirror.close();
  return withoutArticles(paths, mirror.index.gone);
}

await build();
service.change('3', { title: 'Third, renamed' });
service.remove('1');
const paths = await build();
const folder = fileURLToPath(new URL(`./${packageVersion}/`, import.meta.url));
await rm(folder, { recursive: true, force: true });
await cp(join(root, 'mirror'), join(folder, 'mirror'), { recursive: true });
await writePublished(withCollection(paths, 'articles'), pathToFileURL(folder));
await rm(root, { recursive: true });
await service.close();
