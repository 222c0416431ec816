import type { Heading } from '../html/headings.ts';
import type { RenderSettings } from './render-article.ts';

/** The settings below `markdown` in astro.config. */
export interface MarkdownSettings {
  /** `satteri()`, `unified()` or another processor of Astro 7. */
  processor: {
    name?: string;
    options?: object;
    createRenderer(settings: object): Promise<MarkdownRenderer>;
  };
  /** Settings that all processors have, such as `shikiConfig`. */
  [setting: string]: unknown;
}

interface MarkdownRenderer {
  render(
    markdown: string,
    options?: { fileURL?: URL },
  ): Promise<{ code: string; metadata: { headings: Heading[] } }>;
}

/** Returns a function for live pages that renders Markdown as Astro does with these settings. */
export function renderWith(settings: MarkdownSettings): RenderSettings['render'] {
  let renderer: Promise<MarkdownRenderer> | undefined;
  return async (markdown, name) => {
    renderer ??= settings.processor.createRenderer(settings);
    // Plugins may need a path. A build has one, too, and no file either.
    const fileURL = new URL(`${name}.md`, import.meta.url);
    const { code: html, metadata } = await (await renderer).render(markdown, { fileURL });
    return { html, metadata: { headings: metadata.headings } };
  };
}

const processors: readonly unknown[] = ['satteri', 'unified', undefined];

/**
 * Returns whether a site has Markdown plugins or other functions that change the HTML.
 *
 * @param markdown the settings below `markdown` in astro.config, with or without the defaults
 */
export function hasMarkdownPlugins(markdown: object): boolean {
  const processor: unknown = Reflect.get(markdown, 'processor');
  const { name, options } = { name: undefined, options: {}, ...Object(processor) };
  return !processors.includes(name) || hasCode({ ...markdown, processor: options }, new Set());
}

function hasCode(value: unknown, seen: Set<unknown>): boolean {
  if (typeof value === 'function') return true;
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  seen.add(value);
  // Plugins may also be listed by the names of their packages.
  return Object.entries(value).some(
    ([name, part]) =>
      hasCode(part, seen) || (/plugins$/i.test(name) && Object.keys(Object(part)).length > 0),
  );
}
