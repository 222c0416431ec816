import {
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  html,
  parseFragment,
  serialize,
  serializeOuter,
} from 'parse5';

export type Fragment = DefaultTreeAdapterTypes.DocumentFragment;
export type Element = DefaultTreeAdapterTypes.Element;
export type Parent = Fragment | Element;
export type Node = DefaultTreeAdapterTypes.ChildNode;
export type Attribute = Element['attrs'][number];

export const namespaces = html.NS;
/** Far more than articles have, and no more than can be handled within seconds. */
export const most = { depth: 400, parts: 500_000 };

const context = defaultTreeAdapter.createElement('div', namespaces.HTML, []);

/**
 * Parses a piece of a page. What `<noscript>` contains is parsed as markup.
 *
 * @throws when it has more parts, or is nested more deeply, than any article: a few kilobytes of unclosed
 *   elements can make millions of nodes
 */
export function parseHtml(text: string): Fragment {
  return parseFragment(context, text, { treeAdapter: boundedAdapter(), scriptingEnabled: false });
}

/** Writes a tree as HTML, in which Astro's renderer finds no image marks of the article's own. */
export function toHtml(tree: Parent): string {
  return escapeMarks(serialize(tree, { scriptingEnabled: false }));
}

/** Writes an element as HTML, with its content. */
export function outerHtml(element: Element): string {
  return escapeMarks(serializeOuter(element, { scriptingEnabled: false }));
}

/** Astro's renderer replaces this and the JSON in quotes after it (`content/runtime.js`, Astro 6 and 7). */
const mark = '__ASTRO_IMAGE_=';

function escapeMarks(text: string): string {
  return text.includes(mark) ? text.replaceAll(mark, '__ASTRO_IMAGE_&#x3D;') : text;
}

export function isElement(node: Node | Parent): node is Element {
  return 'tagName' in node;
}

/** Returns the text of a node without its markup. */
export function textOf(node: Node | Parent): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

/** Returns an error for a document that is nested too deeply. */
export function tooDeep(): Error {
  return new Error(`its HTML is nested more than ${most.depth} levels deep`);
}

/** Counts the parts of a tree and its open elements while it is built. */
function boundedAdapter(): typeof defaultTreeAdapter {
  let parts = 0;
  let depth = 0;
  const count = (more: number) => {
    parts += more;
    if (parts > most.parts) throw new Error(`its HTML has more than ${most.parts} parts`);
  };
  return {
    ...defaultTreeAdapter,
    createElement(tagName, namespace, attributes) {
      // Elements that the parser repeats have all their attributes each time.
      let size = 1 + attributes.length;
      for (const { value } of attributes) size += value.length >> 7;
      count(size);
      return defaultTreeAdapter.createElement(tagName, namespace, attributes);
    },
    createCommentNode(data) {
      count(1);
      return defaultTreeAdapter.createCommentNode(data);
    },
    onItemPush() {
      depth += 1;
      if (depth > most.depth) throw tooDeep();
    },
    onItemPop() {
      depth -= 1;
    },
  };
}
