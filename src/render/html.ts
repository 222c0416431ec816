import type { Element, ElementContent, Root } from 'hast';
import { fromParse5 } from 'hast-util-from-parse5';
import { toHtml } from 'hast-util-to-html';
import { toString as textOf } from 'hast-util-to-string';
import { parseFragment } from 'parse5';
import { EXIT, SKIP, visit } from 'unist-util-visit';
import { type OpenHtml, takeImages } from './body-images.ts';
import { type Allowance, sanitize, type Widening } from './sanitize.ts';
import { countWords, describe } from './text.ts';

export interface FinishOptions {
  /** The article's title. */
  title: string;
  /** What relative addresses are relative to. */
  base: URL;
  /** Whether to sanitise, and what to allow beyond the default. */
  sanitize: boolean | Widening;
  /** The highlighter's colour themes: their names are classes of its code blocks. */
  themes?: ReadonlySet<string> | undefined;
  /** Whether images are to be taken out, since their files may be at hand later. @default false */
  takeImages?: boolean;
}

/** HTML as Astro's renderer gives it, made ready for a page, with what can be read off it. */
export interface FinishedHtml extends OpenHtml {
  /** The id of the heading that was left out because it only repeats the title. */
  droppedHeading: string | undefined;
  description: string;
  words: number;
}

const heading = /^h[1-6]$/;
const urlProperties = ['src', 'href', 'poster', 'cite'];
// Astro marks images with it, and the HTML parser writes all attributes in lower case.
const imageMark = '__astro_image_';

/**
 * Finishes rendered Markdown: a first heading that repeats the title goes, relative addresses become
 * absolute, images lose the marks that only Astro's own pipeline resolves, what could do harm goes,
 * and markup that was left open is closed, so that it cannot swallow the page around it.
 */
export function finishHtml(html: string, options: FinishOptions): FinishedHtml {
  const parsed = parseHtml(html);
  visit(parsed, 'element', (element) => {
    unmarkImage(element);
    makeAddressesAbsolute(element, options.base);
  });
  const tree = options.sanitize ? sanitize(parsed, allowanceOf(options)) : parsed;
  const droppedHeading = dropTitle(tree, options.title);
  const description = describe(firstParagraph(tree));
  const words = countWords(proseOf(tree));
  const open = options.takeImages ? takeImages(tree) : { html: toHtml(tree), images: [], mark: '' };
  return { ...open, droppedHeading, description, words };
}

/** Parses a piece of a page. What `<noscript>` holds is read as markup, to be judged like any other. */
export function parseHtml(html: string): Root {
  const tree = fromParse5(parseFragment(html, { scriptingEnabled: false }));
  return tree.type === 'root' ? tree : { type: 'root', children: [] };
}

function allowanceOf({ sanitize, themes }: FinishOptions): Allowance {
  return { ...(typeof sanitize === 'object' ? sanitize : {}), themes };
}

function dropTitle(tree: Root, title: string): string | undefined {
  const index = tree.children.findIndex((node) => node.type === 'element');
  const first = tree.children[index];
  if (first?.type !== 'element' || !heading.test(first.tagName)) return undefined;
  const textBefore = tree.children.slice(0, index).some((node) => textOf(node).trim() !== '');
  const said = comparable(textOf(first));
  if (textBefore || said === '' || said !== comparable(title)) return undefined;
  tree.children.splice(index, 1);
  return String(first.properties.id ?? '');
}

/** Quotes and dashes differ between a title and the heading that Markdown made of it. */
function comparable(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{So}\p{Sm}\p{Sc}]+/gu, ' ')
    .trim();
}

function unmarkImage(element: Element): void {
  const mark = element.properties[imageMark];
  if (mark === undefined) return;
  delete element.properties[imageMark];
  try {
    const { src, alt, title } = JSON.parse(String(mark));
    Object.assign(element.properties, { src, alt, ...(title ? { title } : {}) });
  } catch {
    // Text of the article that only looks like a mark.
  }
}

/** Makes relative addresses of an element absolute, but for those within its page. */
export function makeAddressesAbsolute(element: Element, base: URL): void {
  for (const name of urlProperties) makeAbsolute(element, name, base);
  makeSetAbsolute(element, base);
}

function makeAbsolute({ properties }: Element, name: string, base: URL): void {
  const value = properties[name];
  if (typeof value === 'string') properties[name] = absolute(value, base);
}

function absolute(url: string, base: URL): string {
  const isWhole = url === '' || url.startsWith('#') || URL.canParse(url);
  return isWhole || !URL.canParse(url, base) ? url : new URL(url, base).href;
}

/** A list of images, each with a width or density behind it (HTML, 4.8.4.2.1). */
function makeSetAbsolute({ properties }: Element, base: URL): void {
  const { srcSet } = properties;
  if (typeof srcSet !== 'string') return;
  const candidates = srcSet.split(/,\s+|,$/).map((candidate) => candidate.trim());
  properties.srcSet = candidates
    .filter(Boolean)
    .map((candidate) => candidate.replace(/^\S+/, (url) => absolute(url, base)))
    .join(', ');
}

/** The first paragraph that says something, footnotes aside. */
function firstParagraph(tree: Root): string {
  let text = '';
  visit(tree, 'element', (element) => {
    if (element.tagName === 'section' && 'dataFootnotes' in element.properties) return SKIP;
    if (element.tagName !== 'p') return;
    text = textOf({ ...element, children: element.children.filter(isSpoken) }).trim();
    return text ? EXIT : undefined;
  });
  return text;
}

/** A footnote's number is no word of the sentence that it stands in. */
function isSpoken(node: ElementContent): boolean {
  return !(node.type === 'element' && node.tagName === 'sup');
}

/** The text without code blocks and footnote marks, which are not read as words are. */
function proseOf(tree: Root): string {
  const parts: string[] = [];
  visit(tree, (node) => {
    if (node.type === 'element' && /^(pre|script|style|sup)$/.test(node.tagName)) return SKIP;
    if (node.type === 'text') parts.push(node.value);
    if (node.type === 'element') parts.push(isInline(node) ? '' : ' ');
    return undefined;
  });
  return parts.join('');
}

function isInline({ tagName }: Element): boolean {
  return /^(a|abbr|b|code|del|em|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|u)$/.test(tagName);
}
