import { defaultTreeAdapter } from 'parse5';
import { type SanitizeRules, sanitizeAttributes } from './attributes.ts';
import { bodyImageOf, isBodyImage } from './body-images.ts';
import { actionFor, frameName } from './elements.ts';
import { contentPrefix, prefixReferences } from './ids.ts';
import { unmarkImage } from './image-marks.ts';
import {
  attributeOf,
  type Element,
  type Fragment,
  htmlLimits,
  isElement,
  type Node,
  namespaces,
  type Parent,
  tooDeep,
} from './parse-html.ts';
import { isProcessorPart, type ProcessorParts } from './processor-parts.ts';

export interface HtmlWalkOptions extends Pick<SanitizeRules, 'policy' | 'base'> {
  parts?: ProcessorParts | undefined;
  /** The ids that the list of headings refers to. */
  slugs?: readonly string[];
  /** The text of the comments that take the place of images. Absent: images stay. */
  imageMark?: string | undefined;
}

interface Place {
  depth: number;
  /** The number of grids and flexible boxes around it. */
  layouts: number;
  /** The closest element around it that is kept. */
  parent: Parent;
  /** HTML, or the namespace of the SVG or MathML around it. */
  namespace: string;
  /** Whether its text is part of the prose. */
  isProse: boolean;
}

const notProse = new Set('pre sup script style svg annotation button'.split(' '));
const inline = new Set(
  'a abbr b code del em i ins kbd mark q s small span strong sub sup u'.split(' '),
);
/** The number of dropped names that are reported, and the length of each. */
const maxDropped = 20;
const maxNameLength = 80;
const layout = /(?:^|;)\s*display\s*:[^;]*(?:flex|grid)/i;
/** The number of grids and flexible boxes in one another. Browsers lay out each level several times: ten hang a tab. */
const maxLayouts = 2;

/**
 * Applies a policy to a tree, and makes its URLs absolute. Changes the tree.
 *
 * @returns its images, its text without code blocks and footnote numbers, its first paragraph with words, and the
 *   names of elements and attributes that were dropped
 * @throws when the tree is nested too deeply
 */
export function walkHtml(
  tree: Fragment,
  { policy, base, parts = new Set(), slugs = [], imageMark }: HtmlWalkOptions,
) {
  const images: Element[] = [];
  const prose: string[] = [];
  const dropped = new Set<string>();
  const rules = { policy, base, parts, drop };
  const ids = createIds(slugs, drop);
  let paragraph = '';

  function drop(name: string): void {
    if (dropped.size < maxDropped) dropped.add(name.slice(0, maxNameLength));
  }

  function visit(node: Node, place: Place): void {
    if (isElement(node)) visitElement(node, place);
    else if (node.nodeName === '#text') {
      if (place.isProse && 'value' in node) prose.push(node.value);
      keep(node, place);
    } else if (!policy) keep(node, place);
  }

  function visitElement(element: Element, place: Place): void {
    const { tagName: tag } = element;
    if (place.depth >= htmlLimits.depth) throw tooDeep();
    const action = actionFor(element, place.namespace, rules);
    if (action !== 'keep') drop(tag === 'iframe' ? frameName(element, base.media) : `<${tag}>`);
    if (action === 'drop') return;
    const isBlock = place.isProse && !inline.has(tag);
    if (isBlock) prose.push(' ');
    const start = prose.length;
    const { childNodes } = element;
    const inner = action === 'keep' ? enter(element, place) : { ...place, depth: place.depth + 1 };
    for (const child of childNodes) visit(child, inner);
    if (tag === 'p' && paragraph === '') {
      paragraph = prose.slice(start).join('').trim();
    }
    if (isBlock) prose.push(' ');
    if (action === 'keep') keepElement(element, place);
  }

  /** Sanitizes the attributes of an element that is kept, and returns the place of its content. */
  function enter(element: Element, around: Place): Place {
    const { tagName: tag, namespaceURI: namespace } = element;
    const place = {
      ...around,
      depth: around.depth + 1,
      parent: element,
      namespace: around.namespace === namespaces.HTML ? namespace : around.namespace,
      isProse: around.isProse && !notProse.has(tag),
    };
    element.childNodes = [];
    if (element.attrs.length === 0 || isProcessorPart(element)) return place;
    if (tag === 'img') unmarkImage(element);
    sanitizeAttributes(element, rules);
    if (policy) ids.see(element);
    if (policy && layout.test(attributeOf(element, 'style') ?? '')) place.layouts += 1;
    if (place.layouts > maxLayouts) {
      place.layouts = maxLayouts;
      element.attrs = element.attrs.filter(({ name }) => name !== 'style');
      drop('style');
    }
    place.isProse &&= attributeOf(element, 'aria-hidden') !== 'true';
    return place;
  }

  function keepElement(element: Element, place: Place): void {
    const isExtracted =
      imageMark !== undefined && place.parent.nodeName !== 'picture' && isBodyImage(element);
    if (isExtracted) images.push(element);
    keep(isExtracted ? defaultTreeAdapter.createCommentNode(imageMark) : element, place);
  }

  const { childNodes } = tree;
  tree.childNodes = [];
  const place = { depth: 0, layouts: 0, parent: tree, namespace: namespaces.HTML };
  for (const node of childNodes) visit(node, { ...place, isProse: true });
  const settled = policy && ids.settle();
  return {
    images: images.map(bodyImageOf),
    /** The ids of the text; absent without a policy. */
    ids: settled,
    prose: prose.join(''),
    paragraph,
    dropped: [...dropped],
  };
}

function keep(node: Node, { parent }: Place): void {
  node.parentNode = parent;
  parent.childNodes.push(node);
}

/** Attributes with a URL or a value, which a script of the page could read from `window[id]` as its settings. */
const valued = /^(?:href|src|srcset|poster|data|cite|value|action|background)$/;

/**
 * Collects the ids of elements and the references to them. Only headings, footnotes and the targets of references
 * keep their ids, because scripts and styles of the site may use any other id.
 *
 * @param slugs the ids that a table of contents refers to
 */
function createIds(slugs: Iterable<string>, drop: (name: string) => void) {
  const targets = new Set(slugs);
  const elements: Element[] = [];

  return {
    see(element: Element): void {
      elements.push(element);
      for (const attribute of element.attrs) {
        prefixReferences(attribute, (id) => {
          targets.add(id);
          return '';
        });
      }
    },

    /**
     * Drops the ids that are not kept, and returns the others. A target with a value gets the form that the ids of footnotes
     * have, and so do the references to it.
     */
    settle(): ReadonlySet<string> {
      const kept = new Set<string>();
      const changed = new Set<string>();
      for (const element of elements) {
        const id = attributeOf(element, 'id');
        if (id === undefined) continue;
        const others = element.attrs.filter(({ name }) => name !== 'id');
        const isOwn = /^h[1-6]$/.test(element.tagName) || id.startsWith(contentPrefix);
        const isTarget = targets.has(id);
        if (!isTarget && (!isOwn || hasValue(element))) {
          element.attrs = others;
          drop('id');
          continue;
        }
        const isChanged = hasValue(element) && !id.startsWith(contentPrefix);
        const value = isChanged ? contentPrefix + id : id;
        // The parser may have copied an element with its list of attributes.
        if (isChanged) element.attrs = [...others, { name: 'id', value }];
        if (isChanged && !kept.has(id)) changed.add(id);
        kept.add(value);
      }
      if (changed.size > 0) prefixAll(changed);
      return kept;
    },
  };

  function prefixAll(ids: ReadonlySet<string>): void {
    const prefixOf = (id: string) => (ids.has(id) ? contentPrefix : '');
    for (const element of elements) {
      element.attrs = element.attrs.map((attribute) => ({
        ...attribute,
        value: prefixReferences(attribute, prefixOf),
      }));
    }
  }
}

/** Returns whether a script of the page could read the settings of something from `window[id]`. */
function hasValue({ attrs }: Element): boolean {
  return attrs.some(({ name, value }) => valued.test(name) && !value.startsWith('#'));
}
