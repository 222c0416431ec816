import { ArticlesInvalidError, articleNotice } from '../errors.ts';
import { changeEditorHtml } from '../html/editors/change-editor-html.ts';
import { closeTags } from '../html/editors/jsx-tags.ts';
import { finishHtml } from '../html/finish-html.ts';
import { type Heading, headingsOf, listHeadings, removeTitle } from '../html/headings.ts';
import { elementsOf, readHtml, toHtml } from '../html/parse-html.ts';
import { policyFor } from '../html/policy.ts';
import type { ProcessorParts } from '../html/processor-parts.ts';
import { countWords, toDescription } from '../html/text.ts';
import { messageOf } from '../messages.ts';
import type { DroppedHtml } from '../shared/dropped-html.ts';
import { escapeHtmlMarks, unmarkImage } from '../shared/image-marks.ts';
import type { SanitizeOption } from '../shared/sanitize-option.ts';
import { ownSlug, slugOf } from '../shared/slug.ts';
import { type BodyImage, takeImages } from './body-images.ts';
import { prepareMarkdown } from './markdown.ts';
import { probeProcessor } from './probe-processor.ts';
import { buildSizes, type Sizes, sizeProblem } from './sizes.ts';

/** The fields of an article that are rendered. */
export interface ArticleText {
  id: string;
  title: string;
  content: string;
  /** The further fields of the service. */
  extra?: Record<string, unknown>;
}

/** The result of Astro's `renderMarkdown`. */
export interface Rendered {
  html: string;
  metadata?: { headings?: Heading[] | undefined; [key: string]: unknown } | undefined;
}

export interface RenderSettings {
  /** Renders Markdown. Plugins receive the name as that of its file, without the extension. */
  render: (markdown: string, name: string) => Promise<Rendered>;
  /** The URL that images and other media are relative to. */
  base: URL;
  /** `'site'` leaves relative links unchanged; `'service'` resolves them against `base`. @default 'site' */
  links?: 'site' | 'service';
  sanitize: SanitizeOption;
  /** What the content of an article is. @default 'markdown' */
  format?: 'markdown' | 'html';
  /** Whether images are extracted from the HTML, because their files may be local. @default false */
  extractImages?: boolean;
  processorParts?: ProcessorParts | undefined;
  /** @default the sizes of builds */
  sizes?: Sizes | undefined;
}

/** The result of rendering an article. */
export interface RenderedArticle {
  /** The article's title; without one, its first heading or its id. */
  title: string;
  /** The first paragraph with words, as plain text of at most 160 characters. */
  description: string;
  words: number;
  metadata: { headings: Heading[]; [key: string]: unknown };
  /** HTML with gaps: image i is between part i and part i + 1. */
  html: string[];
  images: BodyImage[];
  /** The parts of the article's HTML that were dropped. */
  dropped: DroppedHtml[];
}

/**
 * Renders an article with a site's Markdown processor, or takes its content as the HTML. The HTML is sanitized by the
 * site's policy, URLs of media are absolute, a heading that repeats the title is removed, and open elements are closed.
 *
 * @throws {Error} when this article cannot be rendered; the message says why
 */
export async function renderArticle(
  article: ArticleText,
  settings: RenderSettings,
): Promise<RenderedArticle> {
  const { id, title: given, content } = article;
  const {
    base,
    links,
    sanitize,
    extractImages,
    processorParts,
    format,
    sizes = buildSizes,
  } = settings;
  const isHtml = format === 'html';
  const rendered: Rendered = isHtml
    ? { html: content }
    : await renderMarkdown(article, settings.render, sizes);
  const parsed = readHtml(closeTags(rendered.html), sizes.parts);
  elementsOf(parsed.tree).forEach(unmarkImage);
  const policy = policyFor(sanitize);
  // In Markdown without a tag, all HTML is what the processor and its plugins mean.
  if (policy && content.includes('<')) changeEditorHtml(parsed, isHtml);
  const metadata = isHtml ? { headings: listHeadings(headingsOf(parsed.tree)) } : rendered.metadata;
  const headings = metadata?.headings ?? [];
  const named = headings.find(({ slug, text }) => text.trim() && slug !== 'footnote-label');
  const title = given.trim() ? given : (named?.text.trim() ?? id);

  const removed = removeTitle(parsed.tree, title);
  const { tree, prose, paragraph, ids, dropped } = finishHtml(parsed, {
    policy,
    base: { media: base, links: links === 'service' ? base : undefined },
    parts: processorParts,
    slugs: headings.map(({ slug }) => slug),
  });
  // A random mark, which no article can contain, so the HTML can be divided at it.
  const imageMark = crypto.randomUUID();
  const images = extractImages ? takeImages(tree, imageMark) : [];
  return {
    title,
    description: toDescription(paragraph),
    words: countWords(prose),
    metadata: {
      ...metadata,
      headings: headings.filter(({ slug }) => slug !== removed && (ids?.has(slug) ?? true)),
    },
    html: escapeHtmlMarks(toHtml(tree)).split(`<!--${imageMark}-->`),
    images,
    dropped,
  };
}

async function renderMarkdown(
  { id, title, content, extra = {} }: ArticleText,
  render: RenderSettings['render'],
  sizes: Sizes,
) {
  const markdown = content.replace(/^\uFEFF+/, '').replaceAll(/\r\n?/g, '\n');
  const problem = sizeProblem(markdown, sizes);
  if (problem) throw new Error(problem);
  // The slug of its page, unless another article has the slug.
  const name = ownSlug(extra) ?? (await slugOf({ id, title }));
  return render(prepareMarkdown(markdown), name).catch(explain);
}

/** Gives a reason to errors of processors that have none. */
function explain(cause: unknown): never {
  if (cause instanceof RangeError) throw new Error('its Markdown is nested too deeply', { cause });
  // Astro decodes the URLs of images.
  if (cause instanceof URIError)
    throw new Error('the URL of one of its images has a `%` that encodes nothing; write `%25`', {
      cause,
    });
  throw cause;
}

/** Creates a function that renders articles with a Markdown processor, in a build and for live pages. */
export function createSiteRenderer(render: RenderSettings['render'], sizes?: Sizes) {
  let parts: Promise<ProcessorParts> | undefined;

  /** @throws {ArticlesInvalidError} when the Markdown of the article cannot be rendered */
  return async (
    article: ArticleText,
    settings: Omit<RenderSettings, 'render' | 'sizes' | 'processorParts'>,
  ): Promise<RenderedArticle> => {
    // Only on first use, because most loads render nothing.
    if (settings.format !== 'html') parts ??= probeProcessor(render);
    const processorParts = settings.format === 'html' ? undefined : await parts;
    try {
      return await renderArticle(article, { ...settings, render, sizes, processorParts });
    } catch (cause) {
      const notice = articleNotice(article.id, messageOf(cause), 'content');
      throw new ArticlesInvalidError([notice], { cause });
    }
  };
}
