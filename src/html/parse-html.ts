import {
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  html,
  parseFragment,
  serialize,
  serializeOuter,
} from 'parse5';
import { buildTree } from './build-tree.ts';

export type Fragment = DefaultTreeAdapterTypes.DocumentFragment;
export type Element = DefaultTreeAdapterTypes.Element;
export type Parent = Fragment | Element;
export type Node = DefaultTreeAdapterTypes.ChildNode;
type TextNode = DefaultTreeAdapterTypes.TextNode;
export type Attribute = Element['attrs'][number];

export const namespaces = html.NS;
/** The limits of HTML: far more than articles have, and few enough to be processed within seconds. */
export const htmlLimits = { depth: 150, parts: 250_000 };
/** The parts that HTML may have once it was rendered, when headings and images have more attributes. */
export const maxRenderedParts = 4 * htmlLimits.parts;

const context = defaultTreeAdapter.createElement('div', namespaces.HTML, []);

/** The tree of a text. */
export interface ParsedHtml {
  text: string;
  tree: Fragment;
  /**
   * Whether the parser has moved a node, as it does with text in a table, or a habit of an editor may have changed the tree.
   * Written out, such a tree may be read as another tree.
   */
  isChanged: boolean;
}

/**
 * Parses a fragment of HTML. The content of `<noscript>` is parsed as markup.
 *
 * @throws when it exceeds `maxParts` or the depth: a few kilobytes of unclosed elements can make millions of nodes
 */
export function readHtml(text: string, maxParts = htmlLimits.parts): ParsedHtml {
  const built = buildTree(text, maxParts);
  if (built) return { text, tree: built, isChanged: false };
  let isChanged = false;
  const treeAdapter = boundedAdapter(maxParts, () => {
    isChanged = true;
  });
  const tree = parseFragment(context, text, { treeAdapter, scriptingEnabled: false });
  return { text, tree, isChanged };
}

/** Parses a fragment of HTML as `readHtml()` does, and returns its tree. */
export function parseHtml(text: string, maxParts?: number): Fragment {
  return readHtml(text, maxParts).tree;
}

/** Serialises the content of a tree. */
export function toHtml(tree: Parent): string {
  return escapeReturns(serialize(tree, writing));
}

/** Serialises a node with its content. */
export function outerHtml(node: Node): string {
  return escapeReturns(serializeOuter(node, writing));
}

const withoutFirstNewline = new Set(['pre', 'textarea', 'listing']);

const writing = {
  scriptingEnabled: false,
  treeAdapter: {
    ...defaultTreeAdapter,
    /** Writes a newline before a first newline, which parsers leave out (HTML, 13.3). */
    getTextNodeContent(node: TextNode): string {
      const { value, parentNode: parent } = node;
      const isFirst = parent?.childNodes[0] === node && withoutFirstNewline.has(parent.nodeName);
      return isFirst && value.startsWith('\n') ? `\n${value}` : value;
    },
  },
};

/** Escapes each carriage return. The parser has them from `&#13;`, and reads one that is not escaped as a newline. */
function escapeReturns(html: string): string {
  return html.replaceAll('\r', '&#13;');
}

export function isElement(node: Node | Parent): node is Element {
  return 'tagName' in node;
}

/** Returns the elements of a tree in the order of the document. */
export function elementsOf(tree: Parent): Element[] {
  const elements = tree.childNodes.filter(isElement);
  return elements.flatMap((element) => [element, ...elementsOf(element)]);
}

/** Returns the content of an element without white space between its parts. */
export function contentOf({ childNodes }: Parent): Node[] {
  return childNodes.filter((node) => !('value' in node) || node.value.trim() !== '');
}

/** Replaces each node of a tree, in the order of the document, with what `replace` returns: the node itself, others or none. */
export function replaceNodes(
  parent: Parent,
  replace: (node: Node, parent: Parent) => readonly Node[],
): void {
  parent.childNodes = parent.childNodes.flatMap((node) => {
    const nodes = replace(node, parent);
    for (const each of nodes) each.parentNode = parent;
    for (const element of nodes.filter(isElement)) replaceNodes(element, replace);
    return nodes;
  });
}

/** Returns the value of an element's attribute. */
export function attributeOf({ attrs }: Element, name: string): string | undefined {
  return attrs.find((attribute) => attribute.name === name)?.value;
}

/**
 * Adds, changes or removes an attribute. Replaces the list instead of changing it, because elements that the parser cloned
 * share it.
 */
export function setAttribute(element: Element, name: string, value: string | undefined): void {
  const others = element.attrs.filter((attribute) => attribute.name !== name);
  element.attrs = value === undefined ? others : [...others, { name, value }];
}

/** Returns the text of a node without its markup. */
export function textOf(node: Node | Parent): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

export function tooDeep(): Error {
  return new Error(`its HTML is nested more than ${htmlLimits.depth} levels deep`);
}

/**
 * Creates a tree adapter for one document, which throws once it has too many parts or levels.
 *
 * @param onMove called when the parser moves a node, or inserts a node before another node
 */
function boundedAdapter(maxParts: number, onMove: () => void): typeof defaultTreeAdapter {
  let parts = 0;
  let depth = 0;
  const count = (more: number) => {
    parts += more;
    if (parts > maxParts)
      throw new Error(`its HTML has more than ${maxParts} elements, attributes and comments`);
  };
  return {
    ...defaultTreeAdapter,
    createElement(tagName, namespace, attributes) {
      // The parser clones elements that are left open, with all their attributes.
      let size = 1 + attributes.length;
      for (const { value } of attributes) size += value.length >> 7;
      count(size);
      return defaultTreeAdapter.createElement(tagName, namespace, attributes);
    },
    createCommentNode(data) {
      count(1);
      return defaultTreeAdapter.createCommentNode(data);
    },
    insertBefore(...nodes) {
      onMove();
      defaultTreeAdapter.insertBefore(...nodes);
    },
    insertTextBefore(...nodes) {
      onMove();
      defaultTreeAdapter.insertTextBefore(...nodes);
    },
    detachNode(node) {
      // The parser's own root, whose content it takes at the end.
      if (node.parentNode?.nodeName !== 'html') onMove();
      defaultTreeAdapter.detachNode(node);
    },
    onItemPush() {
      depth += 1;
      if (depth > htmlLimits.depth) throw tooDeep();
    },
    onItemPop() {
      depth -= 1;
    },
  };
}
