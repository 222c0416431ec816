import { type BodyImage, splitAtImages, unusedMark } from './body-images.ts';
import { excessOf } from './bounds.ts';
import { scanLines } from './fences.ts';
import { firstHeading, prepareMarkdown, splitFrontMatter } from './markdown.ts';
import { parseHtml, toHtml } from './parse-html.ts';
import { policyFor, type SanitizeOption } from './policy.ts';
import type { ProcessorParts } from './processor-parts.ts';
import { countWords, describe } from './text.ts';
import { walk } from './walk.ts';

/** What of an article is rendered. */
export interface ArticleText {
  id: string;
  title: string;
  content: string;
}

/** What Astro's `renderMarkdown` returns. */
export interface Rendered {
  html: string;
  metadata?: { headings?: Heading[] | undefined; [key: string]: unknown } | undefined;
}

export interface Heading {
  depth: number;
  slug: string;
  text: string;
}

export interface RenderSettings {
  render: (markdown: string) => Promise<Rendered>;
  /** What relative addresses of images and other media are relative to. */
  base: URL;
  /** Whether relative links stay relative, or are relative to `base`, too. @default 'site' */
  links?: 'site' | 'service';
  sanitize: SanitizeOption;
  /** Whether images are taken out of the HTML, because their files may be local. @default false */
  takeImages?: boolean;
  /** What the site's own Markdown processor writes. */
  probe?: ProcessorParts;
  /** Whether plugins of the site read the info strings of fences as they are written. @default false */
  keepFences?: boolean;
}

/** What is made of an article's text. */
export interface RenderedArticle {
  /** The article's title; without one, its first heading or its id. */
  title: string;
  /** The first paragraph that is not a byline, as plain text of at most 160 characters. */
  description: string;
  words: number;
  metadata: { headings: Heading[]; [key: string]: unknown };
  /** HTML with gaps: image i is between part i and part i + 1. */
  html: string[];
  images: BodyImage[];
  /** Names of the elements and attributes of the article that were dropped. */
  dropped: string[];
}

/**
 * Renders an article with a site's Markdown processor, and makes the HTML ready for a page: safe by the
 * site's policy, with absolute addresses, without a heading that repeats the title, and closed where markup
 * was left open.
 *
 * @throws {Error} when this article cannot be rendered; the message says why
 */
export async function renderArticle(
  { id, title: given, content }: ArticleText,
  { render, base, links, sanitize, takeImages, probe, keepFences }: RenderSettings,
): Promise<RenderedArticle> {
  const lines = scanLines(splitFrontMatter(content).content.replace(/^\uFEFF/, ''));
  const excess = excessOf(lines);
  if (excess) throw new Error(excess);
  const title = given.trim() ? given : (firstHeading(lines) ?? id);
  const { html, metadata } = await rendered(render, prepareMarkdown(lines, { keepFences }));

  const tree = parseHtml(html);
  const imageMark = takeImages ? unusedMark(html) : undefined;
  const { droppedHeading, prose, paragraph, images, dropped } = walk(tree, {
    policy: policyFor(sanitize),
    base: { media: base, ...(links === 'service' ? { links: base } : {}) },
    parts: probe,
    title,
    imageMark,
  });
  const headings = metadata?.headings ?? [];
  return {
    title,
    description: describe(paragraph),
    words: countWords(prose),
    metadata: {
      ...metadata,
      headings: headings[0]?.slug === droppedHeading ? headings.slice(1) : headings,
    },
    html: imageMark ? splitAtImages(toHtml(tree), imageMark) : [toHtml(tree)],
    images,
    dropped,
  };
}

/** Renders Markdown, and says of errors that come without a reason what they mean. */
async function rendered(render: RenderSettings['render'], markdown: string): Promise<Rendered> {
  try {
    return await render(markdown);
  } catch (cause) {
    if (cause instanceof URIError) {
      throw new Error('the address of one of its images has an invalid percent-encoding', {
        cause,
      });
    }
    if (cause instanceof RangeError)
      throw new Error('its Markdown is nested too deeply', { cause });
    throw cause;
  }
}
