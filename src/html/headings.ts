import GithubSlugger from 'github-slugger';
import { wordSet } from './kept-names.ts';
import {
  attributeOf,
  type Element,
  elementsOf,
  type Fragment,
  isElement,
  type Node,
  type Parent,
  textOf,
} from './parse-html.ts';
import { isProcessorPart } from './processor-parts.ts';

export interface Heading {
  depth: number;
  slug: string;
  text: string;
}

/** The tag names of headings. */
export const headingTags = wordSet('h1 h2 h3 h4 h5 h6');
/** Normalising thousands of combining marks takes minutes, and each heading contains the text of those within it. */
const longestHeading = 1000;

/**
 * Removes the heading that a tree begins with if it repeats the title, and has nothing else, such as a picture. Nothing
 * that is shown may precede it.
 *
 * @returns the id of the heading
 */
export function removeTitle(tree: Fragment, title: string): string | undefined {
  // Comments, blank text, styles and scripts show nothing.
  const first = tree.childNodes.find((node) =>
    isElement(node) ? !isProcessorPart(node) : textOf(node).trim() !== '',
  );
  const heading = first && headingOf(first);
  if (!heading || !isSameTitle(textOf(heading), title) || hasMoreThanText(heading))
    return undefined;
  tree.childNodes = tree.childNodes.filter((node) => node !== first);
  return attributeOf(heading, 'id');
}

/** Returns a heading itself, or the heading in a wrapper next to its anchor link, as Starlight writes it. */
function headingOf(node: Node): Element | undefined {
  if (!isElement(node)) return undefined;
  if (headingTags.has(node.tagName)) return node;
  const [first, link, ...others] = node.childNodes.filter((child) => textOf(child).trim() !== '');
  const isWrapper =
    node.tagName === 'div' && others.length === 0 && (!link || link.nodeName === 'a');
  return isWrapper && first && isElement(first) && headingTags.has(first.tagName)
    ? first
    : undefined;
}

const shown = wordSet('a img svg video audio iframe object embed');

/** Returns whether an element contains a picture, a sound or a link, besides links to a place on the page. */
function hasMoreThanText(element: Element): boolean {
  return element.childNodes.filter(isElement).some((child) => {
    const isOwnLink = child.tagName === 'a' && attributeOf(child, 'href')?.startsWith('#');
    return !isOwnLink && (shown.has(child.tagName) || hasMoreThanText(child));
  });
}

/** Returns whether two texts differ only in what Markdown changes: case, quotes, dashes and other signs. */
function isSameTitle(one: string, other: string): boolean {
  if (Math.max(one.length, other.length) > longestHeading) return false;
  const text = comparable(one);
  return text !== '' && text === comparable(other);
}

function comparable(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{Z}\p{C}\p{Sk}]+/gu, ' ')
    .trim();
}

/** Returns the headings of a tree. */
export function headingsOf(tree: Parent): Element[] {
  return elementsOf(tree).filter(({ tagName }) => headingTags.has(tagName));
}

/** Lists headings, and gives those without an id the one that Astro would give them. */
export function listHeadings(headings: readonly Element[]): Heading[] {
  const slugger = new GithubSlugger();
  return headings.map((element) => {
    const text = textOf(element).slice(0, longestHeading);
    const id = attributeOf(element, 'id');
    const slug = id ?? slugger.slug(text);
    if (id === undefined) element.attrs.push({ name: 'id', value: slug });
    return { depth: Number(element.tagName[1]), slug, text };
  });
}
