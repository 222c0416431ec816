import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { knownLanguages, themeNames } from '../../../src/content/languages.ts';
import { finishHtml } from '../../../src/render/html.ts';
import { renderArticle } from '../../../src/render/render-article.ts';
import { createLoaderContext } from '../../helpers/loader-context.ts';
import { benchArticles } from '../articles.ts';

export interface RenderFound {
  /** Milliseconds per article. */
  astro: number;
  ours: number;
  finish: number;
  /** Characters of Markdown per article. */
  markdown: number;
}

/** Renders articles by Astro alone, and as we do, in turns. */
const { count, folder }: { count: number; folder: string } = JSON.parse(process.argv[2] ?? '');
const warmUp = 30;
const base = new URL('https://example.com/');
const root = await mkdtemp(join(folder, 'render-'));
const { renderMarkdown, config } = await createLoaderContext({ root });
const finish = { base, sanitize: true, themes: themeNames };
const settings = {
  ...finish,
  render: (markdown: string) => renderMarkdown(markdown),
  knowsLanguage: knownLanguages(config.markdown),
};
const took = { astro: 0, ours: 0, finish: 0, markdown: 0 } satisfies RenderFound;

for (const [index, { id, title, content }] of benchArticles(count + warmUp).entries()) {
  const article = { id: String(id), title: String(title), content: String(content), extra: {} };
  const start = performance.now();
  const { html } = await renderMarkdown(article.content);
  const alone = performance.now();
  finishHtml(html, { ...finish, title: article.title });
  const finished = performance.now();
  await renderArticle(article, settings);
  const whole = performance.now();
  if (index < warmUp) continue;
  took.astro += (alone - start) / count;
  took.finish += (finished - alone) / count;
  took.ours += (whole - finished) / count;
  took.markdown += article.content.length / count;
}
await rm(root, { recursive: true });
console.log(JSON.stringify(took));
