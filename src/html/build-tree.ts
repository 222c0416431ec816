import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';
import { html, type DefaultTreeAdapterTypes as Tree } from 'parse5';

import { wordSet } from './kept-names.ts';

type Parent = Tree.DocumentFragment | Tree.Element;

const voids = wordSet('br hr img input wbr source link');
const tagsInLinks = `
  abbr b br cite code del dfn em font i img input ins kbd link mark picture q s samp small source span strong sub
  sup time u var wbr`;
const blockTags = `
  blockquote center details div dl figcaption figure h1 h2 h3 h4 h5 h6 hr ol p pre section summary table ul`;
const inlineOnly = wordSet('a', tagsInLinks);
const anyContent = wordSet('a', tagsInLinks, blockTags);
/**
 * The elements that a block or a link may contain, by its tag name, if it may not contain all. Other inline elements may contain
 * what the element around them may. A link with blocks is left to the parser.
 */
const contentsOf = new Map<string, ReadonlySet<string>>([
  ...[...wordSet('h1 h2 h3 h4 h5 h6 p summary')].map((tag) => [tag, inlineOnly] as const),
  ['a', wordSet(tagsInLinks)],
  ['ol', wordSet('li')],
  ['ul', wordSet('li')],
  ['dl', wordSet('dt dd')],
  ['table', wordSet('thead tbody')],
  ['thead', wordSet('tr')],
  ['tbody', wordSet('tr')],
  ['tr', wordSet('td th')],
]);
const tableParts = wordSet('table thead tbody tr');
/** Deeper trees are left to the parser, which has a limit. */
const maxDepth = 100;

const piecePattern =
  /([^<]+)|<(?:\/([a-z][a-z\d]*)>|([a-z][a-z\d]*)((?: [a-z][a-z\d-]*(?:="[^"]*")?)*) ?\/?>)/y;
const attributePattern = / ([a-z][a-z\d-]*)(?:="([^"]*)")?/g;

/** An element that is open while the tree is built, or the tree itself. */
interface OpenElement {
  parent: Parent;
  /** The elements that it may contain. */
  contents: ReadonlySet<string>;
  depth: number;
  around: OpenElement | undefined;
}

/**
 * Builds the tree that parse5 builds, for HTML in the one form that Markdown processors write: tags in lower case,
 * attributes in double quotes, no comments, and each element closed. parse5 takes two to six times as long.
 *
 * @returns the tree; undefined for any other HTML, and for a tree that could exceed a limit
 */
export function buildTree(text: string, maxParts: number): Tree.DocumentFragment | undefined {
  // Each part takes two characters or more. The parser replaces some control characters.
  if (text.length / 2 + 2 > maxParts || /[\0\f\r]/.test(text)) return undefined;
  const tree: Tree.DocumentFragment = { nodeName: '#document-fragment', childNodes: [] };
  const root: OpenElement = {
    parent: tree,
    contents: anyContent,
    depth: 0,
    around: undefined,
  };
  let open: OpenElement | undefined = root;
  let position = 0;
  while (open && position < text.length) {
    piecePattern.lastIndex = position;
    const match = piecePattern.exec(text);
    open = match ? addPiece(match, open) : undefined;
    position = piecePattern.lastIndex;
  }
  return open === root ? tree : undefined;
}

/** Adds a text or an element. Returns the element that is open then; undefined where the parser decides. */
function addPiece([, text, endTag, tag = '', attributes = '']: RegExpExecArray, open: OpenElement) {
  if (text !== undefined) return addText(text, open) ? open : undefined;
  if (endTag !== undefined) return open.parent.nodeName === endTag ? open.around : undefined;
  return addElement(tag, attributes, open);
}

/** @returns whether the parser would insert the text at this place */
function addText(text: string, { parent }: OpenElement): boolean {
  // It moves text out of tables.
  if (tableParts.has(parent.nodeName) && /[^\t\n ]/.test(text)) return false;
  const decoded = decodeHTML(text);
  const isLeftOut = parent.nodeName === 'pre' && parent.childNodes.length === 0;
  const value = isLeftOut ? decoded.replace(/^\n/, '') : decoded;
  if (value) parent.childNodes.push({ nodeName: '#text', value, parentNode: parent });
  return true;
}

function addElement(tag: string, attributes: string, open: OpenElement): OpenElement | undefined {
  const { parent, depth } = open;
  if (!open.contents.has(tag) || depth === maxDepth) return undefined;
  const attrs = Array.from(
    attributes.matchAll(attributePattern),
    ([, name = '', encoded = '']) => ({ name, value: decodeHTMLAttribute(encoded) }),
  );
  // Of equal names, the parser keeps the first.
  if (new Set(attrs.map(({ name }) => name)).size < attrs.length) return undefined;
  const element: Tree.Element = {
    nodeName: tag,
    tagName: tag,
    attrs,
    namespaceURI: html.NS.HTML,
    childNodes: [],
    parentNode: parent,
  };
  parent.childNodes.push(element);
  if (voids.has(tag)) return open;
  return {
    parent: element,
    contents: contentsOf.get(tag) ?? (inlineOnly.has(tag) ? open.contents : anyContent),
    depth: depth + 1,
    around: open,
  };
}
