import { createHash } from 'node:crypto';
import { finishHtml } from './html.ts';
import { firstHeading, type KnowsLanguage, prepareMarkdown } from './markdown.ts';
import type { Widening } from './sanitize.ts';
import { slugOf } from './slug.ts';

/** What is known of an article without reading its text. */
export interface ArticleFacts {
  id: string;
  title: string;
  /** Changes with the article. */
  digest: string;
  /** Its place in the listing, counted from the oldest, which is 1. */
  position: number;
  /** What `cover_image` holds before the schema makes an image of it. */
  cover: string | null;
}

export interface ArticleText {
  content: string;
  /** Fields that the contract does not name, for a schema of the user's own. */
  extra: Record<string, unknown>;
}

/** What Astro's `renderMarkdown` gives. */
export interface Rendered {
  html: string;
  metadata?: { headings?: { slug: string }[] | undefined; [key: string]: unknown } | undefined;
}

export interface ProjectOptions<R extends Rendered> {
  render: (markdown: string) => Promise<R>;
  /** What relative addresses in a body are relative to. */
  base: URL;
  knowsLanguage?: KnowsLanguage;
  sanitize: boolean | Widening;
}

export interface ProjectedEntry<R extends Rendered> {
  body: string;
  rendered: R;
  data: Record<string, unknown>;
}

/** The name of an entry in its collection. */
export function entryId(facts: ArticleFacts, kind: 'id' | 'slug'): string {
  return kind === 'slug' ? slugOf(facts) : facts.id;
}

/** Covers everything that a page can show of an entry, and nothing that needs its text to be read. */
export function entryDigest(
  { id, title, digest, position, cover }: ArticleFacts,
  fingerprint: string,
) {
  const shown = JSON.stringify([id, title, digest, position, cover, fingerprint]);
  return createHash('sha256').update(shown).digest('hex').slice(0, 32);
}

/**
 * Makes an entry of an article: renders its Markdown as the site renders its own, and derives what
 * the service does not give.
 */
export async function toEntry<R extends Rendered>(
  facts: ArticleFacts,
  { content, extra }: ArticleText,
  { render, knowsLanguage, ...finish }: ProjectOptions<R>,
): Promise<ProjectedEntry<R>> {
  const title = facts.title.trim() ? facts.title : (firstHeading(content) ?? facts.id);
  const { rendered, html, droppedHeading, description, words } = await renderSafely(async () => {
    const rendered = await render(prepareMarkdown(content, knowsLanguage));
    return { rendered, ...finishHtml(rendered.html, { title, ...finish }) };
  });
  const headings = rendered.metadata?.headings ?? [];
  return {
    body: content,
    rendered: {
      ...rendered,
      html,
      metadata: {
        ...rendered.metadata,
        headings: headings[0]?.slug === droppedHeading ? headings.slice(1) : headings,
        // Image marks are gone from the HTML: Astro must not look for them.
        imagePaths: [],
        localImagePaths: [],
        remoteImagePaths: [],
      },
    },
    data: {
      ...extra,
      title,
      cover_image: facts.cover,
      slug: slugOf(facts),
      description,
      words,
      position: facts.position,
    },
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
