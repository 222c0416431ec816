import { benchArticle, benchArticles } from './articles.ts';
import type { BenchService } from './bench.ts';
import { type BenchSite, makeSite, type SiteOptions } from './sites.ts';

// The sites that most tables compare: with local files, and with this package.

/** The content config of the README, with a timed loader. */
const packageContent = `
  import { defineCollection } from 'astro:content';
  import { articlesLoader } from 'astro-articles';
  import { timed } from './marks.ts';
  export const collections = { articles: defineCollection({ loader: timed(articlesLoader()) }) };`;

const globContent = `
  import { defineCollection } from 'astro:content';
  import { glob } from 'astro/loaders';
  import { z } from 'astro/zod';
  import { timed } from './marks.ts';
  const loader = timed(glob({ base: './articles', pattern: '*.md' }));
  const schema = z.object({ title: z.string() });
  export const collections = { articles: defineCollection({ loader, schema }) };`;

/** The label of rows with local files. */
export const globLabel = '`glob()`';

/** Makes a site whose articles are local Markdown files. */
export async function makeGlobSite(
  count: number,
  page?: string,
  home?: string,
): Promise<BenchSite> {
  const site = await makeSite({ content: globContent, ...(page ? { page } : {}) }, home);
  for (const article of benchArticles(count)) await writeMarkdown(site, article);
  return site;
}

/** Writes an article as a Markdown file for glob(). */
async function writeMarkdown(
  site: BenchSite,
  { id, title, content }: { id: unknown; title: unknown; content: unknown },
): Promise<void> {
  await site.write(`articles/${id}.md`, `---\ntitle: ${JSON.stringify(title)}\n---\n\n${content}`);
}

/** Makes a site that loads its articles with this package. `options` is source text. */
export function makePackageSite(
  env: Record<string, string>,
  options = '',
  { config = '', home, ...more }: Pick<SiteOptions, 'config' | 'page'> & { home?: string } = {},
): Promise<BenchSite> {
  const integrations = `integrations: [articles({ ${options} })], ${config}`;
  return makeSite({ content: packageContent, config: integrations, env, ...more }, home);
}

/** Both places of the texts of this package, as options and as labels of rows. */
export const bodiesVariants = (['store', 'mirror'] as const).map((bodies) => ({
  label: `astro-articles, \`bodies: '${bodies}'\``,
  options: `bodies: '${bodies}'`,
}));

/** A site in which one article can be changed. */
export interface ChangingSite {
  site: BenchSite;
  /** Gives the newest article another text. */
  change(): Promise<unknown>;
}

/** Makes a site with local files, of which one can be changed. */
export async function makeChangingFiles(count: number, page?: string): Promise<ChangingSite> {
  const site = await makeGlobSite(count, page);
  const content = changedTexts(count);
  return {
    site,
    change: () => writeMarkdown(site, { id: count, title: 'Changed', content: content() }),
  };
}

/** Returns a function that changes an article of the service. */
export function changeOf(service: BenchService, count: number): () => Promise<unknown> {
  const content = changedTexts(count);
  return () => service.send({ kind: 'change', id: count, content: content() });
}

function changedTexts(id: number): () => string {
  const { content } = benchArticle(id);
  return () => `${content}\n\nChanged ${performance.now()}.`;
}
