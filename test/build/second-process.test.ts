import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { root } from '../helpers/readme.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// A build must publish the articles that it has loaded, even if another Astro process in the same folder loads
// others before the pages are rendered.

const draft = { id: 'draft', title: 'Not ready', content: '', cover_image: null };
const service = await useService({ articles: [...makeArticles(3), draft] });
const other = await useService({ articles: makeArticles(5, { seed: 3 }) });
const sites = useSites();

/** Runs another Astro process between bundling and rendering. */
const config = `
import { spawnSync } from 'node:child_process';
import { defineConfig } from 'astro/config';
import articles from 'astro-articles';
const { SECOND: second, ...env } = process.env;
export default defineConfig({
  outDir: process.env.OUT_DIR,
  integrations: [articles({ bodies: process.env.BODIES, drafts: process.env.DRAFTS ?? 'skip' })],
  vite: { plugins: [{ name: 'second', apply: 'build', closeBundle() {
    if (!second || globalThis.hasRun) return;
    globalThis.hasRun = true;
    const [args, more] = JSON.parse(second);
    const { status } = spawnSync(process.execPath, [${JSON.stringify(join(root, 'node_modules/astro/bin/astro.mjs'))}, ...args], { env: { ...env, ...more } });
    console.log('second process ended with', status);
  } }] },
});`;

const page = `---
import { getCollection, render } from 'astro:content';
import { withBody } from 'astro-articles';
export async function getStaticPaths() {
  const entries = await getCollection('articles');
  return entries.map((entry) => ({ params: { slug: entry.id }, props: { entry } }));
}
const { entry } = Astro.props;
const { Content } = await render(await withBody(entry));
---
<h1>{entry.data.title}</h1><article><Content /></article>`;

const seconds = {
  store: [['sync'], other.env],
  mirror: [['build'], { ...service.env, OUT_DIR: 'preview', DRAFTS: 'include' }],
};

test('a build publishes its own articles, with texts in the store and in the mirror', async () => {
  const site = await sites.create({
    files: { 'astro.config.mjs': config, 'src/pages/[...slug].astro': page },
  });
  const env = { ...service.env, OUT_DIR: 'dist' };
  await site.build(env);
  const expected = await site.list('dist');
  const first = await site.read('dist/1/index.html');
  for (const [bodies, second] of Object.entries(seconds)) {
    const output = await site.build({ ...env, BODIES: bodies, SECOND: JSON.stringify(second) });
    expect(output).toContain('second process ended with 0');
    expect(await site.list('dist')).toEqual(expected);
    expect(await site.read('dist/1/index.html')).toBe(first);
    expect((await site.entries()).length).toBe(3);
  }
});
