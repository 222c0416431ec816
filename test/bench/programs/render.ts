import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { renderArticle } from '../../../src/render/render-article.ts';
import { createLoaderContext } from '../../helpers/loader-context.ts';
import { benchArticles } from '../articles.ts';

export interface RenderFound {
  /** Milliseconds of CPU per article: Astro's renderer alone, and with what this package adds. */
  astro: number;
  ours: number;
  /** Characters of Markdown per article. */
  markdown: number;
}

/** Renders articles by Astro alone, and as the package does, in turns. */
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
const took = { astro: 0, ours: 0, markdown: 0 } satisfies RenderFound;
const cpu = () => process.cpuUsage().user / 1000;

for (const [index, { id, title, content }] of benchArticles(count + warmUp).entries()) {
  const article = { id: String(id), title: String(title), content: String(content), extra: {} };
  const start = cpu();
  await renderMarkdown(article.content);
  const alone = cpu();
  await renderArticle(article, settings);
  const whole = cpu();
  if (index < warmUp) continue;
  took.astro += (alone - start) / count;
  took.ours += (whole - alone) / count;
  took.markdown += article.content.length / count;
}
await rm(root, { recursive: true });
console.log(JSON.stringify(took));
