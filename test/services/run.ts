import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type Article,
  articles,
  changed,
  germanArticles,
  newFile,
  publishedAgain,
  replaced,
  withNewFile,
} from './articles.ts';
import { differences, germanDifferences, missingRedirect, warningsIn } from './compare.ts';
import { directus } from './directus.ts';
import { ghost } from './ghost.ts';
import { liveTitles } from './live.ts';
import { payload } from './payload.ts';
import { missingPrograms, responds, stopAll } from './programs.ts';
import { startProxy } from './proxy.ts';
import { compareWithRecording, record, writeRecording } from './record.ts';
import type { Service } from './server.ts';
import { createTranslatedSite } from './site.ts';
import { strapi } from './strapi.ts';
import { tryTemplate } from './template.ts';
import { wordpress } from './wordpress.ts';

// npm run test:services                       all servers
// npm run test:services -- WordPress Strapi   some of them
// npm run test:services -- --packages FOLDER  keeps the packages of npm there for the next run
// npm run test:services -- --record           writes their responses to fixtures/recordings, and builds nothing
// Prints a table, and the differences from the recorded responses. Exits with status 1 if a response lacks a recorded part,
// or a site does not show what was written.
const { values, positionals } = parseArgs({
  options: { packages: { type: 'string' }, record: { type: 'boolean' } },
  allowPositionals: true,
});
const all = [wordpress, strapi, ghost, directus, payload];
const unknown = positionals.filter((each) => !all.some(({ name }) => name === each));
const services = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const complaints = [
  ...unknown.map((name) => `${name} is none of ${all.map((each) => each.name).join(', ')}`),
  ...missingPrograms(Object.assign({}, ...services.map(({ programs }) => programs))),
];
if (complaints.length > 0) {
  console.error(complaints.join('\n'));
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'services-'));
const packages = resolve(values.packages ?? join(folder, 'packages'));
const cleanups: (() => Promise<unknown>)[] = [];

/** Ends all servers and proxies, and removes the site. */
async function cleanUp(): Promise<void> {
  await stopAll();
  for (const clean of cleanups.splice(0)) await clean();
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    // The loop below starts no further server.
    services.length = 0;
    await cleanUp().catch(console.error);
    await rm(folder, { recursive: true, force: true });
    process.exit(1);
  });
}

/** Starts a server behind a proxy. */
async function startServer({ name, uploads, start }: Service) {
  const own = join(folder, name);
  await mkdir(own);
  const proxy = await startProxy(uploads);
  cleanups.push(proxy.close);
  const { url, targetPort: port } = proxy;
  const server = await start({ folder: own, packages: join(packages, name), port, url });
  return { server, proxy };
}

/**
 * Builds a site four times, compares it with the articles of a server, and returns a row of the table.
 *
 * @param problems where differences and warnings are added
 */
async function tryService(
  { name, unchanged }: Service,
  { server, proxy }: Awaited<ReturnType<typeof startServer>>,
  problems: string[],
): Promise<string> {
  const { german, slugOf = (slug) => slug } = server;
  const withSlugs = (article: Article) => ({
    ...article,
    slug: slugOf(article.slug),
    next: slugOf(article.next),
  });
  for (const article of articles) await server.save(withSlugs(article));
  for (const article of german ? germanArticles : []) await german?.save(article);

  const site = await createTranslatedSite(name, german?.query);
  cleanups.push(site.remove);
  const env = { ARTICLES_BASE_URL: proxy.url, ARTICLES_API_KEY: server.key };
  const cells: string[] = [];
  const build = async (expected: typeof articles) => {
    proxy.takeCounts();
    const started = performance.now();
    const output = await site.build(env);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const counts = proxy.takeCounts();
    cells.push(`${counts.api} + ${counts.files}, ${seconds} s`);
    problems.push(...warningsIn(output));
    problems.push(...(await differences(site, server, expected.map(withSlugs))));
    if (german) {
      const built: { title: string }[] = JSON.parse(await site.read('dist/german.json'));
      const titles = built.map(({ title }) => title);
      problems.push(...germanDifferences('in a build', titles, germanArticles));
    }
    return counts;
  };

  await build(articles);
  const again = await build(articles);
  const collections = german ? 2 : 1;
  if (again.api > collections * unchanged.api || again.files > collections * unchanged.files) {
    problems.push('the build without changes sends more requests than expected');
  }
  const { after, saved, deleted } = changed();
  for (const article of saved) await server.save(article);
  for (const article of deleted) await server.remove(article);
  await server.replaceFile?.(replaced, newFile);
  const later = server.replaceFile ? after.map(withNewFile) : after;
  await build(later);
  problems.push(...(await missingRedirect(site, 'story-4', 'renamed-story')));

  const returned = publishedAgain();
  await server.save(returned);
  const last = later.map((article) => (article.name === returned.name ? returned : article));
  await build(last);
  problems.push(...(await missingRedirect(site, 'story-2', returned.slug)));
  if (server.hasTags) problems.push(...(await tryTemplate(name, last, env)));
  const more = server.tryMore?.(site, last.map(withSlugs), () => site.build(env));
  problems.push(...((await more) ?? []));

  await server.publishFiles?.();
  if (!(await responds(server.document))) {
    problems.push('readers cannot download the PDF to which the texts link');
  }

  if (german) {
    const titles = await liveTitles(name, {
      baseUrl: proxy.url,
      apiKey: server.key,
      query: german.query,
    });
    problems.push(...germanDifferences('of live articles', titles, germanArticles));
  }
  const shown = after.filter(({ isDraft }) => !isDraft).length;
  return `| ${[`${name} ${server.version}`, shown, ...cells, problems.length].join(' | ')} |`;
}

if (!values.record) {
  console.log(`Each build: requests to the API + for pictures, seconds.

| server | articles | first build | second, unchanged | third, with changes | fourth, one is back | problems |
| --- | --- | --- | --- | --- | --- | --- |`);
}
for (const service of services) {
  const problems: string[] = [];
  try {
    const { name } = service;
    const started = await startServer(service);
    const recording = await record(name, started.server, started.proxy.url);
    if (values.record) {
      await writeRecording(name, recording);
      console.log(`Recorded ${recording.server}.`);
    } else {
      const { missing, added } = await compareWithRecording(name, recording);
      problems.push(...missing);
      console.log([await tryService(service, started, problems), ...added].join('\n'));
    }
  } catch (error) {
    problems.push(String(error));
  }
  await cleanUp().catch((error) => problems.push(String(error)));
  for (const problem of problems) console.error(`${service.name}: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
await rm(folder, { recursive: true, force: true });
