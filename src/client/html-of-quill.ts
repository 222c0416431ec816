import { defaultTreeAdapter } from 'parse5';
import {
  attributeOf,
  classesOf,
  type Element,
  isElement,
  type Node,
  namespaces,
  parseHtml,
  renameElement,
  replaceNodes,
  setAttribute,
  toHtml,
} from '../html/parse-html.ts';

const { appendChild, createElement } = defaultTreeAdapter;

/**
 * Returns HTML that the editor Quill has stored, with `<ul>` and `<ol>` in one another, and with `<pre>`. Quill writes one
 * flat list, and a `<div>` for each line of code, which look right with its own styles only. What its `getSemanticHTML()`
 * returns needs no change.
 *
 * @throws {Error} for more elements than an article can have, or a depth that it cannot have
 */
export function htmlOfQuill(html: string): string {
  const tree = parseHtml(html);
  replaceNodes(tree, (node) => {
    if (!isElement(node)) return [node];
    if (node.tagName === 'div' && classesOf(node).includes('ql-code-block-container'))
      renameElement(node, 'pre', []);
    const isList = node.tagName === 'ol' && node.childNodes.some(isItem);
    return isList ? nestItems(node.childNodes) : [node];
  });
  return toHtml(tree);
}

function isItem(node: Node): node is Element {
  return isElement(node) && node.tagName === 'li' && attributeOf(node, 'data-list') !== undefined;
}

/** Returns lists of items, by their kind and level. Other nodes stay in the item before them. */
function nestItems(nodes: readonly Node[]): Node[] {
  const outermost: Node[] = [];
  let open: { list: Element; level: number; last: Element }[] = [];
  for (const node of nodes) {
    if (!isItem(node)) {
      const [item] = open.slice(-1);
      if (item) appendChild(item.last, node);
      else outermost.push(node);
      continue;
    }
    const kind = attributeOf(node, 'data-list');
    const tag = kind === 'ordered' ? 'ol' : 'ul';
    const level = Number(/ql-indent-(\d)/.exec(attributeOf(node, 'class') ?? '')?.[1] ?? 0);
    open = open.filter(
      (each) => each.level < level || (each.level === level && each.list.tagName === tag),
    );
    let current = open.at(-1);
    if (current?.level !== level) {
      const list = createElement(tag, namespaces.HTML, []);
      if (current) appendChild(current.last, list);
      else outermost.push(list);
      current = { list, level, last: node };
      open.push(current);
    }
    // The attribute of a task says whether it is done: a notice of the load names it.
    if (!kind?.endsWith('checked')) setAttribute(node, 'data-list', undefined);
    appendChild(current.list, node);
    current.last = node;
  }
  return outermost;
}
