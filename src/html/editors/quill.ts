import { defaultTreeAdapter } from 'parse5';
import {
  attributeOf,
  classesOf,
  contentOf,
  type Element,
  isElement,
  namespaces,
  type Parent,
  renameElement,
  replaceNodes,
  setAttribute,
} from '../parse-html.ts';

const { appendChild, createElement } = defaultTreeAdapter;

/** Turns lists and code of Quill into `<ul>`, `<ol>` and `<pre>`: without Quill's styles, they look like other elements. */
export function changeQuillBlocks(tree: Parent): void {
  replaceNodes(tree, (node) => {
    if (!isElement(node)) return [node];
    if (classesOf(node).includes('ql-code-block-container')) renameElement(node, 'pre', []);
    const isOfItems = contentOf(node).every(({ nodeName }) => nodeName === 'li');
    const items = node.tagName === 'ol' && isOfItems ? node.childNodes.filter(isElement) : [];
    const isList = items.some((item) => attributeOf(item, 'data-list') !== undefined);
    return isList ? listsOf(items) : [node];
  });
}

/** Returns lists of items that have their kind and level as attributes. */
function listsOf(items: readonly Element[]): Element[] {
  const outermost: Element[] = [];
  let open: { level: number; list: Element }[] = [];
  for (const item of items) {
    const kind = attributeOf(item, 'data-list') ?? '';
    const tag = kind === 'ordered' ? 'ol' : 'ul';
    const level = Number(/ql-indent-(\d)/.exec(attributeOf(item, 'class') ?? '')?.[1] ?? 0);
    open = open.filter(({ level: other, list }) =>
      other === level ? list.tagName === tag : other < level,
    );
    let last = open.at(-1);
    if (last?.level !== level) {
      const list = createElement(tag, namespaces.HTML, []);
      const around = last?.list.childNodes.at(-1);
      if (around && isElement(around)) appendChild(around, list);
      else outermost.push(list);
      last = { level, list };
      open.push(last);
    }
    appendChild(last.list, item);
    // The attribute of a task says whether the task is done. It is left for the policy, whose notice names it.
    if (!kind.endsWith('checked')) setAttribute(item, 'data-list', undefined);
  }
  return outermost;
}
