import { pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import { expect, test, vi } from 'vitest';
import { siteAt } from '../../../src/content/site-state.ts';
import { absentHistories } from '../../../src/integration/site-history.ts';
import { readFlags } from '../../../src/options/resolve-options.ts';
import type { PublishedHistory } from '../../../src/redirects/published.ts';
import { temporaryFolder, temporaryServer } from '../../helpers/temporary.ts';
import { shownSlugs } from './shown-slugs.ts';

interface Build {
  variables?: Record<string, string>;
  /** The collections that the build has. */
  collections?: string[];
  loads?: number;
  /** What the loads have read from the site. */
  published?: PublishedHistory;
  /** The response of the site. @default 404 */
  response?: string;
  site?: string;
}

/** Returns the absent histories of a build, and what it says and requests. */
async function absentOf(given: Build) {
  const { variables = {}, collections = [], loads = 0, published, response } = given;
  let requests = 0;
  const { url } = await temporaryServer((_, answer) => {
    requests += 1;
    answer.writeHead(response === undefined ? 404 : 200).end(response);
  });
  const root = pathToFileURL(`${await temporaryFolder()}/`);
  const state = siteAt(root);
  state.loads = loads;
  state.integration = { options: {}, redirects: true, mode: 'production' };
  if (published) state.integration.published = Promise.resolve(published);
  for (const name of collections) state.slugs.set(name, shownSlugs({}));
  const config = { root, site: given.site ?? url, base: '/' } as unknown as AstroConfig;
  const logger = { info: vi.fn(), warn: vi.fn() };
  const absent = await absentHistories(config, readFlags(variables), { logger: logger as never });
  const [info, warnings] = [logger.info, logger.warn].map(({ mock }) => mock.calls.flat());
  return { absent, requests, info, warnings };
}

const loaded = { collections: ['articles'], loads: 1 };
const offline = { ARTICLES_OFFLINE: '1' };
const history = new Map([['1', new Map([['a', 1]])]]);
const published = new Map([
  ['news', history],
  ['articles', history],
]);
const warning = expect.stringContaining('only the slugs in the mirrors of "articles"');
const info = expect.stringContaining('keeps the slugs of "news", which this build has not loaded');

test.each<[string, Build, Partial<Awaited<ReturnType<typeof absentOf>>>]>([
  ['offline', { ...loaded, variables: offline }, { warnings: [warning] }],
  [
    'offline, of a site that is not published',
    { ...loaded, variables: offline, site: 'http://localhost:4321' },
    {},
  ],
  ['offline and without collections', { variables: offline }, {}],
  ['whose loads have read nothing', loaded, {}],
  ['without collections, of a site without a history', {}, { requests: 1 }],
  [
    'without collections, of a site whose history cannot be read',
    { response: 'no history' },
    { requests: 2, warnings: [expect.stringContaining('could not be read')] },
  ],
  [
    'without a collection that the site has published',
    { ...loaded, published },
    { absent: new Map([['news', history]]), info: [info] },
  ],
  [
    'without such a collection, which may be removed',
    { ...loaded, published, variables: { ARTICLES_ALLOW_REMOVAL: '1' } },
    { absent: new Map([['news', history]]) },
  ],
  ['with all collections', { ...loaded, published, collections: ['articles', 'news'] }, {}],
])('a build %s knows what the site has published of others', async (_, given, expected) => {
  const nothing = { absent: new Map(), requests: 0, info: [], warnings: [] };
  expect(await absentOf(given)).toEqual({ ...nothing, ...expected });
});
