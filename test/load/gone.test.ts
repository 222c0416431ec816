import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { siteAt } from '../../src/content/site-state.ts';
import { redirectFormerPaths } from '../../src/integration/former-paths.ts';
import { readFlags } from '../../src/options/resolve-options.ts';
import { decodeHistory, type PathHistory } from '../../src/redirects/history.ts';
import { pathsFile } from '../helpers/mirror-folder.ts';
import { type LoadMore, useSite } from '../helpers/use-site.ts';

// Articles that respond 404 for a time, as Strapi and Ghost do for what is unpublished.

const site = useSite({ options: { failOn: ['service'] } });
const article = (id: number, slug: string) => ({
  id,
  slug,
  title: `Title of ${id}`,
  content: 'Text.',
  cover_image: null,
});

/** What the site has published. */
let published: PathHistory = new Map();

/** Loads as in a build, whose integration passes the published history to the loader, in the state of the site. */
async function load() {
  const adapt: LoadMore['adapt'] = (context) => {
    const settings = { options: {}, redirects: true, mode: 'production' };
    siteAt(context.config.root).integration = {
      ...settings,
      published: Promise.resolve(published),
    };
    return context;
  };
  site.service.clearRequests();
  const loaded = await site.load({}, { adapt });
  expect([loaded.failure, loaded.warnings]).toEqual([undefined, []]);
  return loaded;
}

/** Builds and publishes the site. Returns where each path leads, and the published file. */
async function build() {
  const { context, entries } = await load();
  const requested = site.service.requests.flatMap(({ id }) => id ?? []);
  const folder = join(site.root, 'dist');
  await rm(folder, { recursive: true, force: true });
  const slugs = [...entries.values()].map(({ data }) => String(data.slug));
  for (const slug of slugs) {
    await mkdir(join(folder, slug), { recursive: true });
    await writeFile(join(folder, slug, 'index.html'), 'page');
  }
  const pages = slugs.map((slug) => ({ pathname: `${slug}/` }));
  const config = { ...context.config, base: '/', redirects: {} };
  const output = { dir: pathToFileURL(`${folder}/`), pages, routes: [], logger: context.logger };
  await redirectFormerPaths(config, output, readFlags(process.env));
  const file = await readFile(join(folder, '_articles/paths.jsonl'), 'utf8');
  published = decodeHistory(file, '')?.history ?? new Map();
  const target = async (slug: string) => {
    const path = join(folder, slug, 'index.html');
    if (!existsSync(path)) return undefined;
    return /content="0;url=([^"]+)"/.exec(await readFile(path, 'utf8'))?.[1] ?? 'a page';
  };
  return { target, file, requested };
}

describe('an article that responds 404 for a time', () => {
  it('leaves the site and what it publishes at once, and its former URLs lead to it when it is back', async () => {
    published = new Map();
    site.service.replace([article(1, 'alpha'), article(2, 'other')]);
    await build();
    site.service.change(1, { slug: 'beta' });
    await build();
    site.service.remove(1);
    const gone = await build();
    expect(gone.requested).toContain('1');
    expect([await gone.target('alpha'), await gone.target('beta')]).toEqual([undefined, undefined]);
    expect(gone.file).not.toMatch(/alpha|beta/);
    expect(await readFile(pathsFile(await site.mirror()), 'utf8')).toMatch(/alpha.*beta/);
    for (let builds = 0; builds < 2; builds++) {
      const later = await build();
      expect(later.requested).toEqual([]);
      expect(later.file).toBe(gone.file);
    }
    site.service.add(article(1, 'gamma'));
    const back = await build();
    expect(await back.target('gamma')).toBe('a page');
    expect([await back.target('alpha'), await back.target('beta')]).toEqual(['/gamma/', '/gamma/']);
    // Once it is listed again, it is like any other article.
    site.service.remove(1);
    expect((await build()).requested).toContain('1');
  });

  it('is forgotten if its mirror is lost meanwhile', async () => {
    published = new Map();
    site.service.replace([article(1, 'alpha'), article(2, 'other')]);
    await build();
    site.service.remove(1);
    await build();
    await rm(await site.mirror(), { recursive: true });
    expect((await build()).requested).not.toContain('1');
    site.service.add(article(1, 'gamma'));
    expect(await (await build()).target('alpha')).toBeUndefined();
  });

  it('is requested once if only the published history has it, and published no more', async () => {
    published = new Map([['articles/9', new Map([['0 former', 1]])]]);
    site.service.replace([article(1, 'alpha')]);
    const first = await build();
    expect(first.requested).toContain('9');
    expect(first.file).not.toContain('former');
    // Another machine may still publish it.
    published = new Map([['articles/9', new Map([['0 former', 1]])]]);
    const second = await build();
    expect([second.requested, second.file]).toEqual([[], first.file]);
  });

  it('has no claim to its slug while it is gone, and has it again when it is back and no other has', async () => {
    published = new Map();
    site.service.replace([article(1, 'alpha'), article(2, 'other')]);
    await build();
    site.service.change(2, { slug: 'alpha' });
    site.service.remove(1);
    const taken = await build();
    expect([await taken.target('alpha'), await taken.target('other')]).toEqual([
      'a page',
      '/alpha/',
    ]);
    site.service.change(2, { slug: 'other' });
    expect(await (await build()).target('alpha')).toBe('/other/');
    site.service.add(article(1, 'alpha'));
    expect(await (await build()).target('alpha')).toBe('a page');
  });

  it('does not count as a removal in later loads, however many articles are gone', async () => {
    published = new Map();
    site.service.replace(makeArticles(40, { words: [5, 10] }));
    await build();
    for (let first = 1; first <= 37; first += 4) {
      for (let id = first; id < first + 4 && id <= 39; id++) site.service.remove(id);
      const { entries } = await load();
      expect(entries.size).toBe(Math.max(1, 40 - first - 3));
    }
  });
});
