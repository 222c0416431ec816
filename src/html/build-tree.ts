import { html, type DefaultTreeAdapterTypes as Tree } from 'parse5';

type Parent = Tree.DocumentFragment | Tree.Element;

/** What an element may contain: any blocks, text without blocks, or only the elements of a list or table. */
type Kind = 'flow' | 'text' | 'items' | 'terms' | 'groups' | 'rows' | 'cells';

const namespace = html.NS.HTML;
const words = (list: string) => list.split(' ');
const voids = new Set(words('br hr img input wbr source link'));
const inline = words(
  'a abbr b br cite code del dfn em font i img input ins kbd link mark picture q s samp small source span strong sub ' +
    'sup time u var wbr',
);
const blocks = words(
  'blockquote center details div dl figcaption figure h1 h2 h3 h4 h5 h6 hr ol p pre section summary table ul',
);
/** The kinds of blocks whose content is not flow. Inline elements contain what the element around them may contain. */
const kinds = new Map<string, Kind>([
  ...words('h1 h2 h3 h4 h5 h6 p summary').map((tag) => [tag, 'text'] as const),
  ...words('ol ul').map((tag) => [tag, 'items'] as const),
  ['dl', 'terms'],
  ['table', 'groups'],
  ...words('tbody thead').map((tag) => [tag, 'rows'] as const),
  ['tr', 'cells'],
]);
const allowed: Record<Kind, ReadonlySet<string>> = {
  flow: new Set([...inline, ...blocks]),
  text: new Set(inline),
  items: new Set(['li']),
  terms: new Set(['dt', 'dd']),
  groups: new Set(['thead', 'tbody']),
  rows: new Set(['tr']),
  cells: new Set(['td', 'th']),
};
/** Deeper trees are left to the parser, which has a limit. */
const maxDepth = 100;

const piece =
  /([^<]+)|<(?:\/([a-z][a-z\d]*)>|([a-z][a-z\d]*)((?: [a-z][a-z\d-]*(?:="[^"]*")?)*) ?\/?>|!--((?!-?>)(?:[^-]|-(?!-))*)-->)/y;
const attribute = / ([a-z][a-z\d-]*)(?:="([^"]*)")?/g;
const reference = /&(?:(amp|lt|gt|quot|apos|nbsp);|#x([\da-f]{1,6});|#(\d{1,7});)?/gi;
const codes: Readonly<Record<string, number>> = {
  amp: 38,
  lt: 60,
  gt: 62,
  quot: 34,
  apos: 39,
  nbsp: 160,
};

/** An element that is open while the tree is built, or the tree itself. */
interface Open {
  parent: Parent;
  kind: Kind;
  depth: number;
  isInLink: boolean;
  around: Open | undefined;
}

/**
 * Builds the tree that parse5 builds, for HTML in the one form that Markdown processors write: tags in lower case,
 * attributes in double quotes, and each element closed. parse5 takes ten times as long.
 *
 * @returns the tree; undefined for any other HTML, and for a tree that could exceed a limit
 */
export function buildTree(text: string, maxParts: number): Tree.DocumentFragment | undefined {
  // Each part takes two characters or more. The parser replaces some control characters.
  if (text.length / 2 + 2 > maxParts || /[\0\f\r]/.test(text)) return undefined;
  const tree: Tree.DocumentFragment = { nodeName: '#document-fragment', childNodes: [] };
  const root: Open = { parent: tree, kind: 'flow', depth: 0, isInLink: false, around: undefined };
  let open: Open | undefined = root;
  let position = 0;
  while (open && position < text.length) {
    piece.lastIndex = position;
    const match = piece.exec(text);
    open = match ? addPiece(match, open) : undefined;
    position = piece.lastIndex;
  }
  return open === root ? tree : undefined;
}

/** Adds a text, a comment or an element. Returns the element that is open then; undefined where the parser decides. */
function addPiece([, text, endTag, tag, attributes = '', comment]: RegExpExecArray, open: Open) {
  if (text !== undefined) return addText(text, open) ? open : undefined;
  if (endTag !== undefined) return open.parent.nodeName === endTag ? open.around : undefined;
  if (tag !== undefined) return addElement(tag, attributes, open);
  const { parent } = open;
  parent.childNodes.push({ nodeName: '#comment', data: comment ?? '', parentNode: parent });
  return open;
}

/** @returns whether the parser would insert the text at this place */
function addText(text: string, { parent, kind }: Open): boolean {
  // It moves text out of tables.
  if (/^(?:groups|rows|cells)$/.test(kind) && /[^\t\n ]/.test(text)) return false;
  const decoded = decode(text);
  if (decoded === undefined) return false;
  const isLeftOut = parent.nodeName === 'pre' && parent.childNodes.length === 0;
  const value = isLeftOut ? decoded.replace(/^\n/, '') : decoded;
  if (value) parent.childNodes.push({ nodeName: '#text', value, parentNode: parent });
  return true;
}

function addElement(tag: string, attributes: string, open: Open): Open | undefined {
  const { parent, kind, depth } = open;
  const isLink = tag === 'a';
  const isInvalid = !allowed[kind].has(tag) || (isLink && open.isInLink);
  if (isInvalid || depth === maxDepth) return undefined;
  const attrs: Tree.Element['attrs'] = [];
  for (const [, name = '', encoded = ''] of attributes.matchAll(attribute)) {
    const value = decode(encoded);
    if (value === undefined || attrs.some((each) => each.name === name)) return undefined;
    attrs.push({ name, value });
  }
  const names = { nodeName: tag, tagName: tag, attrs, namespaceURI: namespace };
  const element: Tree.Element = { ...names, childNodes: [], parentNode: parent };
  parent.childNodes.push(element);
  if (voids.has(tag)) return open;
  const within = allowed.text.has(tag) ? kind : (kinds.get(tag) ?? 'flow');
  return {
    parent: element,
    kind: within,
    depth: depth + 1,
    isInLink: isLink || open.isInLink,
    around: open,
  };
}

/** Decodes the references in a text; undefined if it has others than the usual ones. */
function decode(text: string): string | undefined {
  if (!text.includes('&')) return text;
  let isKnown = true;
  const decoded = text.replace(reference, (all, name?: string, hex?: string, decimal?: string) => {
    const code = name ? codes[name] : hex ? Number.parseInt(hex, 16) : Number(decimal);
    // Others are no characters, or the parser replaces them.
    const isPlain =
      code &&
      code >= 0x20 &&
      code <= 0x10_ffff &&
      !/[\x7f-\x9f\p{Cs}]/u.test(String.fromCodePoint(code));
    isKnown &&= isPlain === true;
    return isPlain ? String.fromCodePoint(code) : all;
  });
  return isKnown ? decoded : undefined;
}
