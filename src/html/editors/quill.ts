import { defaultTreeAdapter } from 'parse5';
import {
  attributeOf,
  classesOf,
  type Element,
  isElement,
  type Node,
  namespaces,
  type Parent,
  renameElement,
  replaceNodes,
  setAttribute,
} from '../parse-html.ts';

const { appendChild, createElement } = defaultTreeAdapter;

/** An item of a list. */
interface Item {
  element: Element;
  /** The tag of the list that it belongs in. */
  tag: string;
  level: number;
}

/** A list that further items may be added to. */
interface OpenList {
  list: Element;
  level: number;
  /** Its last item, which contains the lists of deeper levels. */
  item: Element;
}

/** Turns lists and code of Quill into `<ul>`, `<ol>` and `<pre>`: without Quill's styles, they look like other elements. */
export function changeQuillBlocks(tree: Parent): void {
  replaceNodes(tree, (node) => {
    if (!isElement(node)) return [node];
    const { tagName } = node;
    if (tagName === 'div' && classesOf(node).includes('ql-code-block-container'))
      renameElement(node, 'pre', []);
    const isList = /^[ou]l$/.test(tagName) && node.childNodes.some(hasKind);
    return isList ? listsOf(node) : [node];
  });
}

function hasKind(node: Node): boolean {
  return isElement(node) && node.tagName === 'li' && attributeOf(node, 'data-list') !== undefined;
}

/** Returns an item, and removes the attribute with its kind; undefined for other nodes. */
function takeItem(node: Node, { tagName }: Element): Item | undefined {
  if (!isElement(node) || node.tagName !== 'li') return undefined;
  const kind = attributeOf(node, 'data-list');
  const tag = kind === undefined ? tagName : kind === 'ordered' ? 'ol' : 'ul';
  const [, level = '0'] = /ql-indent-(\d)/.exec(attributeOf(node, 'class') ?? '') ?? [];
  // The attribute of a task says whether the task is done. It is left for the policy, whose notice names it.
  if (!kind?.endsWith('checked')) setAttribute(node, 'data-list', undefined);
  return { element: node, tag, level: Number(level) };
}

/** Returns lists of the items of a list. Other nodes stay in their order, in the item before them. */
function listsOf(list: Element): Node[] {
  const outermost: Node[] = [];
  let open: OpenList[] = [];
  for (const node of list.childNodes) {
    const item = takeItem(node, list);
    if (item) open = addItem(item, open, outermost);
    else addNode(node, open.at(-1), outermost);
  }
  return outermost;
}

function addNode(node: Node, open: OpenList | undefined, outermost: Node[]): void {
  if (open) appendChild(open.item, node);
  else outermost.push(node);
}

/** Adds an item to the list of its kind and level, which is made where none is open. Returns the lists that are open then. */
function addItem(
  { element, tag, level }: Item,
  before: readonly OpenList[],
  outermost: Node[],
): OpenList[] {
  const open = before.filter((each) =>
    each.level === level ? each.list.tagName === tag : each.level < level,
  );
  let last = open.at(-1);
  if (last?.level !== level) {
    const list = createElement(tag, namespaces.HTML, []);
    if (last) appendChild(last.item, list);
    else outermost.push(list);
    last = { level, list, item: element };
    open.push(last);
  }
  appendChild(last.list, element);
  last.item = element;
  return open;
}
