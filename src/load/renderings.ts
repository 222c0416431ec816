import { hasExpiringUrls } from '../html/expiring-urls.ts';
import { looksLikeHtml } from '../html/text.ts';
import type { IndexedArticle, StoredArticle } from '../mirror/formats.ts';
import type { RenderedArticle } from '../render/render-article.ts';
import { systemClock } from '../shared/clock.ts';
import { hash } from '../shared/hash.ts';
import type { RenderedVersion, Rendering } from './article-version.ts';
import type { Load, Renderer } from './load.ts';

type Facts = IndexedArticle['renderings'][number];

/** Finds the rendering that an earlier load has made of the same text with the same settings, if the mirror has it. */
export function findRendering(
  { renderings }: IndexedArticle,
  transformed: IndexedArticle,
  { renderer, mirror }: Pick<Load, 'renderer' | 'mirror'>,
): Facts | undefined {
  if (!renderer.isReusable) return undefined;
  const key = renderingKey(transformed, renderer);
  return renderings.find(({ name }) => name.startsWith(key) && mirror.has(name));
}

/** Renders a version whose text has no front matter, and writes the rendering to the mirror. */
export async function renderVersion(
  article: IndexedArticle,
  transformed: IndexedArticle,
  { text, broken: brokenFrontMatter }: { text: StoredArticle; broken?: string | undefined },
  load: Load,
): Promise<RenderedVersion> {
  const { renderer, mirror, options } = load;
  const { content: body, extra } = text;
  const rendered = await renderInTurn(text, load);
  // As in later loads: plugins may put values into the metadata that JSON changes.
  const metadata = JSON.parse(JSON.stringify(rendered.metadata));
  const rendering: Rendering = { ...rendered, metadata, body, extra };
  const name = mirror.writeText(JSON.stringify(rendering), renderingKey(transformed, renderer));
  const { title, description, words, dropped } = rendering;
  const images = rendering.images.map(({ url }) => url);
  const html = rendering.html.join('');
  const facts = {
    name,
    images,
    dropped,
    brokenFrontMatter,
    hasExpiringUrls: hasExpiringUrls(html) || undefined,
  };
  return {
    article: withRendering(article, facts),
    transformed,
    text: options.bodies === 'store' ? rendering : { title, description, words, extra },
    likeHtml: options.format === 'markdown' && looksLikeHtml(body),
  };
}

/**
 * Renders a text. If its code may have lost colours, it is rendered a second time. With Markdown plugins, which may wait, several texts are
 * rendered at the same time, so the time of one is unknown.
 */
async function renderInTurn(
  text: StoredArticle,
  { renderer: { queue, render } }: Pick<Load, 'renderer'>,
): Promise<RenderedArticle> {
  return queue(async () => {
    const startedAt = systemClock.date();
    const rendered = await render(text);
    const isSlow = systemClock.date() - startedAt >= maxLineTimeMs;
    const mayBeCut = isSlow && queue.concurrency === 1 && rendered.html.join('').includes('<pre');
    return mayBeCut ? render(text) : rendered;
  });
}

/**
 * The time by the clock after which Shiki leaves the rest of a line without colours (its `tokenizeTimeLimit`, since
 * shikijs/shiki#588; Astro has no setting for it). On a busy machine, the first use of a grammar may take as long.
 */
const maxLineTimeMs = 500;

function renderingKey({ record }: IndexedArticle, { fingerprint }: Renderer): string {
  return hash(`${fingerprint} ${record}`);
}

/**
 * Adds a rendering, and keeps one of another fingerprint, so that builds and previews in turn render nothing again.
 */
export function withRendering(article: IndexedArticle, facts: Facts): IndexedArticle {
  const [key = ''] = facts.name.split('-');
  const others = article.renderings.filter(({ name }) => !name.startsWith(key));
  return { ...article, renderings: [facts, ...others].slice(0, 2) };
}
