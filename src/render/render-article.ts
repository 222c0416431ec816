import { type FileOf, type OpenHtml, placeImages } from './body-images.ts';
import { finishHtml } from './html.ts';
import { excessOf } from './limits.ts';
import { firstHeading, type KnowsLanguage, prepareMarkdown } from './markdown.ts';
import type { Widening } from './sanitize.ts';
import { slugOf } from './slug.ts';

/** What is known of an article without reading its text. */
export interface ArticleFacts {
  id: string;
  title: string;
  /** Its place in the listing, counted from the oldest, which is 1; absent where nobody counted. */
  position?: number;
  /** What `cover_image` holds before the schema makes an image of it. */
  cover: string | null;
}

export interface ArticleText {
  id: string;
  title: string;
  content: string;
  /** Fields that the contract does not name, for a schema of the user's own. */
  extra: Record<string, unknown>;
}

/** What Astro's `renderMarkdown` gives. */
export interface Rendered {
  html: string;
  metadata?: { headings?: Heading[] | undefined; [key: string]: unknown } | undefined;
}

export interface Heading {
  depth: number;
  slug: string;
  text: string;
}

export interface RenderSettings extends Omit<RenderOptions, 'sanitize'> {
  sanitize: boolean | 'strict' | Widening;
  links?: 'site' | 'service';
  probe?: readonly string[];
}

export interface RenderOptions {
  render: (markdown: string) => Promise<Rendered>;
  /** What relative addresses in a body are relative to. */
  base: URL;
  knowsLanguage?: KnowsLanguage;
  sanitize: boolean | Widening;
  /** The highlighter's colour themes. */
  themes?: ReadonlySet<string> | undefined;
  /** Whether the images of bodies are to be taken out of the HTML. */
  takeImages?: boolean;
}

/** All that is made of an article's text. It depends on nothing else, so it can be kept. */
export interface RenderedArticle extends OpenHtml {
  /** As shown: a draft without one is titled by its first heading. */
  title: string;
  description: string;
  words: number;
  metadata: { headings: Heading[]; [key: string]: unknown };
  extra: Record<string, unknown>;
  dropped: string[];
}

/** What is left of it where its HTML is kept elsewhere. */
export interface ArticleOutline
  extends Pick<RenderedArticle, 'title' | 'description' | 'words' | 'extra'> {
  /** The addresses of the images that were taken out of its HTML. */
  images: readonly string[];
}

export function outlineOf(article: RenderedArticle): ArticleOutline {
  const { title, description, words, extra, images } = article;
  return { title, description, words, extra, images: images.map(({ url }) => url) };
}

/** What an entry tells of its article, besides the fields that the contract does not name. */
export interface EntryData {
  title: string;
  cover_image: string | null;
  slug: string;
  description: string;
  words: number;
  position?: number;
  [extra: string]: unknown;
}

/** The name of an entry in its collection. */
export async function entryId(facts: ArticleFacts, kind: 'id' | 'slug'): Promise<string> {
  return kind === 'slug' ? slugOf(facts) : facts.id;
}

/** Renders an article's Markdown as the site renders its own, and derives what the service does not give. */
export async function renderArticle(
  { id, title: given, content, extra }: ArticleText,
  { render, knowsLanguage, sanitize, ...rest }: RenderSettings,
): Promise<RenderedArticle> {
  const finish = { ...rest, sanitize: sanitize === 'strict' ? true : sanitize };
  const excess = excessOf(content);
  if (excess) throw new Error(excess);
  const title = given.trim() ? given : (firstHeading(content) ?? id);
  return renderSafely(async () => {
    const { html, metadata } = await render(prepareMarkdown(content, knowsLanguage));
    const { droppedHeading, ...finished } = finishHtml(html, { title, ...finish });
    const headings = metadata?.headings ?? [];
    return {
      ...finished,
      title,
      extra,
      dropped: [],
      metadata: {
        ...metadata,
        headings: headings[0]?.slug === droppedHeading ? headings.slice(1) : headings,
      },
    };
  });
}

/** What an entry shows of its text: the HTML, with the images of the body that have a file. */
export function renderedOf(article: RenderedArticle, fileOf: FileOf) {
  const { html, paths } = placeImages(article, fileOf);
  return {
    html,
    // Astro looks for image marks only where there are paths, and ours are the only ones left.
    metadata: {
      ...article.metadata,
      imagePaths: paths,
      localImagePaths: paths,
      remoteImagePaths: [],
    },
  };
}

/** The `data` of an entry, for the collection's schema to check. */
export async function dataOf(
  { id, title, cover, position }: ArticleFacts,
  article: Omit<ArticleOutline, 'images'>,
): Promise<EntryData> {
  return {
    ...article.extra,
    title: article.title,
    cover_image: cover,
    slug: await slugOf({ id, title }),
    description: article.description,
    words: article.words,
    ...(position === undefined ? {} : { position }),
  };
}

/** Thousands of nested levels overflow the stack of what walks them, and say nothing useful. */
async function renderSafely<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof RangeError)
      throw new Error('its Markdown is nested too deeply to be rendered');
    throw error;
  }
}
