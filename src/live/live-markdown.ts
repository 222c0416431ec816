import GithubSlugger from 'github-slugger';
import type { Nodes } from 'hast';
import { toHtml } from 'hast-util-to-html';
import { toString as textOf } from 'hast-util-to-string';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toHast } from 'mdast-util-to-hast';
import { gfm } from 'micromark-extension-gfm';
import { visit } from 'unist-util-visit';
import type { Heading } from '../render/render-article.ts';
import { smarten } from './smartypants.ts';

/**
 * Renders Markdown where Astro's own renderer is not at hand, with the parser that Astro's `unified`
 * processor has. Raw HTML and all addresses pass through: judging them is the sanitiser's part.
 */
export async function renderMarkdown(markdown: string) {
  const settings = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
  const source = fromMarkdown(markdown, settings);
  smarten(source);
  const tree = toHast(source, { allowDangerousHtml: true });
  const headings = nameHeadings(tree);
  return { html: toHtml(tree, { allowDangerousHtml: true }), metadata: { headings } };
}

/** Gives each heading the id that Astro would give it. */
function nameHeadings(tree: Nodes): Heading[] {
  const slugger = new GithubSlugger();
  const headings: Heading[] = [];
  visit(tree, 'element', (element) => {
    const depth = Number(/^h([1-6])$/.exec(element.tagName)?.[1]);
    if (!depth) return;
    const text = textOf(element);
    const slug = String(element.properties.id ?? slugger.slug(text));
    element.properties.id = slug;
    headings.push({ depth, slug, text });
  });
  return headings;
}
