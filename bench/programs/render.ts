import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { renderArticle } from '../../src/render/render-article.ts';
import { createLoaderContext } from '../../test/helpers/loader-context.ts';
import { benchArticles } from '../articles.ts';

export interface RenderResult {
  /** Milliseconds of CPU per article, by Astro's renderer alone. */
  astro: number;
  /** Milliseconds of CPU per article, by the package, which calls Astro's renderer. */
  total: number;
  /** Characters of Markdown per article. */
  markdown: number;
}

/** Renders each article first by Astro alone, then by the package. */
const { count, folder }: { count: number; folder: string } = JSON.parse(process.argv[2] ?? '');
const warmUp = 100;
const root = await mkdtemp(join(folder, 'render-'));
const { renderMarkdown } = await createLoaderContext({ root });
const settings = {
  render: (markdown: string) => renderMarkdown(markdown),
  base: new URL('https://example.com/'),
  links: 'site',
  sanitize: true,
} as const;
const result = { astro: 0, total: 0, markdown: 0 } satisfies RenderResult;
const cpu = () => process.cpuUsage().user / 1000;

for (const [index, { id, title, content }] of benchArticles(count + warmUp).entries()) {
  const article = { id: String(id), title: String(title), content: String(content), extra: {} };
  const start = cpu();
  await renderMarkdown(article.content);
  const afterAstro = cpu();
  await renderArticle(article, settings);
  const afterPackage = cpu();
  if (index < warmUp) continue;
  result.astro += (afterAstro - start) / count;
  result.total += (afterPackage - afterAstro) / count;
  result.markdown += article.content.length / count;
}
await rm(root, { recursive: true });
console.log(JSON.stringify(result));
