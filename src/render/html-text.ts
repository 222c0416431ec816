import GithubSlugger from 'github-slugger';
import { isElement, type Parent, parseHtml, textOf } from './parse-html.ts';
import type { Heading } from './render-article.ts';

/** Returns a function that decodes titles, if they are HTML: `Salt &#038; water` means *Salt & water*. */
export function titleDecoder(format: 'markdown' | 'html'): ((title: string) => string) | undefined {
  return format === 'html' ? plainText : undefined;
}

function plainText(html: string): string {
  try {
    return textOf(parseHtml(html)).replace(/\s+/g, ' ').trim();
  } catch {
    // So many elements are no title, and the text is shown as it is.
    return html;
  }
}

/** Matches the start of a text whose first block is an element of HTML. */
const blockTag =
  /^\s*(?:<!--[\s\S]*?-->\s*)?<(?:p|h[1-6]|div|figure|ul|ol|blockquote|section|table)\b[^<>]*>/i;

/** Whether a text is HTML rather than Markdown: it begins with a block, and has as many of them as paragraphs. */
export function looksLikeHtml(content: string): boolean {
  if (!blockTag.test(content)) return false;
  const paragraphs = content.trim().split(/\n\s*\n/);
  const blocks = content.match(/<(?:p|h[1-6]|div|figure|ul|ol|blockquote|section|table)\b/gi) ?? [];
  return blocks.length >= paragraphs.length && /<\/[a-z\d]+>\s*$/i.test(content);
}

/** Lists the headings of a tree, and gives those without an id the one that Astro would give them. */
export function listHeadings(tree: Parent): Heading[] {
  const slugger = new GithubSlugger();
  const headings: Heading[] = [];
  const visit = (parent: Parent) => {
    for (const element of parent.childNodes.filter(isElement)) {
      const { tagName: tag, attrs } = element;
      if (/^h[1-6]$/.test(tag)) {
        const text = textOf(element);
        const id = attrs.find(({ name }) => name === 'id')?.value;
        const slug = id ?? slugger.slug(text);
        if (id === undefined) attrs.push({ name: 'id', value: slug });
        headings.push({ depth: Number(tag[1]), slug, text });
      }
      visit(element);
    }
  };
  visit(tree);
  return headings;
}
