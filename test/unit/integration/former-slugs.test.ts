import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import { expect, test, vi } from 'vitest';
import { siteAt } from '../../../src/content/site-state.ts';
import { redirectFormerSlugs } from '../../../src/integration/former-slugs.ts';
import { readPublishedHistory } from '../../../src/redirects/published-history.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';
import { shownSlugs } from './shown-slugs.ts';

test.each([
  ['all older articles, if the next build can read them', 100, 100],
  ['of too many older articles only those that were renamed', 100_000, 1],
])('the published history has %s', async (_, count, kept) => {
  const folder = await temporaryFolder();
  const slug = (id: number) => `${'words-'.repeat(30)}${id}`;
  const renamed = ['an-old-title-0', slug(0)];
  const slugs = Array.from({ length: count }, (_, id) => (id === 0 ? renamed : [slug(id)]));
  const history = new Map([['articles', new Map(slugs.map((each, id) => [String(id), each]))]]);
  const root = pathToFileURL(`${folder}/`);
  const shown = shownSlugs({ now: 'now' }, { mayExist: (id) => id !== 'now' });
  siteAt(root).slugs.set('articles', shown);
  const config = { root, site: 'https://site.example', base: '/', redirects: {} } as AstroConfig;
  const logger = { info: vi.fn(), warn: vi.fn() } as never;
  const output = { dir: root, pages: [{ pathname: 'now/' }], logger, hasServer: true };
  await redirectFormerSlugs(config, { published: history, ...output });

  const text = await readFile(join(folder, '_articles/addresses.json'));
  const read = await readPublishedHistory(
    new URL(config.site ?? ''),
    async () => new Response(text),
  );
  const published = read?.get('articles') ?? new Map();
  expect(published.size).toBe(kept + 1);
  expect(published.get('0')).toEqual(renamed);
  expect(published.get('now')).toEqual(['now']);
});
