import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Site } from '../helpers/site.ts';
import { articles, changed } from './articles.ts';
import { differences, missingRedirect } from './compare.ts';
import { directus } from './directus.ts';
import { freePort, missingPrograms, stopAll } from './programs.ts';
import { startProxy } from './proxy.ts';
import type { Service } from './server.ts';
import { createTranslatedSite } from './site.ts';
import { strapi } from './strapi.ts';
import { wordpress } from './wordpress.ts';

// npm run test:services                              all servers
// npm run test:services -- WordPress                 one of them
// npm run test:services -- --packages FOLDER         keeps the packages of npm there for the next run
// It prints a table, and ends with status 1 when an article did not arrive as it should.
const { values, positionals } = parseArgs({
  options: { packages: { type: 'string' } },
  allowPositionals: true,
});
const services = [wordpress, strapi, directus].filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
);

const missing = missingPrograms(Object.assign({}, ...services.map(({ programs }) => programs)));
if (missing.length > 0) {
  console.error(missing.join('\n'));
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'services-'));
let site: Site | undefined;
const end = async () => {
  await stopAll();
  await site?.remove();
  await rm(folder, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => end().finally(() => process.exit(1)));
}

/** Compares what three builds of a site show with the articles of a server, and returns a row of the table. */
async function tryService(service: Service): Promise<{ row: string; problems: string[] }> {
  const { name, files, unchanged } = service;
  const own = join(folder, name);
  await mkdir(own);
  const port = await freePort();
  const proxy = await startProxy(port, files);
  const packages = join(values.packages ?? folder, `${name} packages`);
  const server = await service.start({ folder: own, packages, port, url: proxy.url });
  for (const article of articles) await server.save(article);

  const built = await createTranslatedSite(name, proxy.url);
  site = built;
  const problems: string[] = [];
  const cells: string[] = [];
  const build = async (label: string, expected: typeof articles) => {
    proxy.takeCounts();
    const started = performance.now();
    const output = await built.build({ ARTICLES_API_KEY: server.key });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const counts = proxy.takeCounts();
    cells.push(`${counts.api} + ${counts.files}, ${seconds} s`);
    const warnings = output.match(/.*\[(?:WARN|ERROR)\].*/g) ?? [];
    const found = [...warnings, ...(await differences(built, server, expected))];
    problems.push(...found.map((problem) => `${name}, ${label}: ${problem}`));
    return counts;
  };

  await build('first build', articles);
  const again = await build('second build', articles);
  if (again.api > unchanged.api || again.files > unchanged.files) {
    problems.push(`${name}: a build without changes sends more requests than before`);
  }
  const { after, saved, deleted } = changed();
  for (const article of saved) await server.save(article);
  for (const article of deleted) await server.remove(article);
  await build('third build', after);
  problems.push(...(await missingRedirect(built, 'story-4', 'renamed-story')));

  const shown = after.filter(({ isDraft }) => !isDraft).length;
  await built.remove();
  site = undefined;
  await stopAll();
  await proxy.close();
  return { row: `| ${[`${name} ${server.version}`, shown, ...cells].join(' | ')} |`, problems };
}

let failed = false;
try {
  const rows: string[] = [];
  for (const service of services) {
    const { row, problems } = await tryService(service);
    rows.push(row);
    for (const problem of problems) console.error(problem);
    failed ||= problems.length > 0;
  }
  console.log(`
| server | articles | first build: requests to the API + for pictures | second, unchanged | third, with changes |
| --- | --- | --- | --- | --- |
${rows.join('\n')}`);
} finally {
  await end();
}
process.exitCode = failed ? 1 : 0;
