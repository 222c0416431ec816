import { codeBlocks } from './readme.ts';

// The lists of the documentation judge sanitized HTML: nothing of the sanitizer is used.

const block = codeBlocks('docs/security.md').find(({ language }) => language === 'text');
/** The names of each list, by its name. */
export const lists = new Map<string, Set<string>>();
for (const line of block?.code.replaceAll('\n  ', ' ').trim().split('\n') ?? []) {
  const [keys = '', words = ''] = line.split(': ');
  for (const key of keys.split(', ')) lists.set(key, new Set(words.split(' ')));
}

/** Whether a list has a name, or `x-*` for a name that is `x` or begins with `x-`. */
function has(list: string, name: string): boolean {
  const ends = /^[\w-]+$/.test(name) ? [...`${name}-`.matchAll(/-/g)] : [];
  const starts = ends.map(({ index }) => `${name.slice(0, index)}-*`);
  return [name, ...starts].some((each) => lists.get(list)?.has(each));
}

/** An element, text or document, of parse5 or of a browser. */
export interface TreeNode {
  tagName?: string;
  namespaceURI?: string;
  attrs?: { name: string; value: string }[];
  childNodes?: TreeNode[];
}

/** Returns what a tree contains that is not in the lists. */
export function violationsOf(tree: TreeNode): string[] {
  const ids = referencesIn(tree);
  const found: string[] = [];
  const visit = ({ childNodes = [] }: TreeNode, around?: string) => {
    for (const child of childNodes) {
      const { tagName: tag, namespaceURI = '', attrs = [] } = child;
      const [name] = /svg|Math/.exec(namespaceURI) ?? [];
      // In the text of a formula, a parser makes HTML of MathML.
      const inMath = around === 'MathML' ? around : undefined;
      const kind = name?.replace('svg', 'SVG').replace('Math', 'MathML') ?? inMath;
      if (tag) {
        const isKept = has(kind ? `${kind} elements` : 'elements', tag.toLowerCase());
        if (!isKept && !(tag.includes('-') && !kind)) found.push(`<${tag}>`);
        if (around === 'SVG' && kind !== around) found.push(`<${tag}> in a drawing`);
        for (const each of attrs) {
          const problem = problemOf(each, { tag, kind, ids });
          if (problem) found.push(`<${tag} ${each.name}="${each.value}"> ${problem}`);
        }
        const setting = attrs.find(({ name }) => /^(?:href|src|cite|poster)$/.test(name));
        const id = attrs.find(({ name }) => name === 'id')?.value ?? 'user-content-';
        if (!id.startsWith('user-content-') && setting && !setting.value.startsWith('#'))
          found.push(`<${tag} id> is a setting`);
      }
      visit(child, kind);
    }
  };
  visit(tree);
  return found;
}

interface Place {
  tag: string;
  kind: string | undefined;
  ids: ReadonlySet<string>;
}

function problemOf({ name: given, value }: { name: string; value: string }, place: Place) {
  const { tag, kind, ids } = place;
  const name = given.toLowerCase();
  const own = kind ? `${kind} attributes` : tag;
  if (!has('every element', name) && !has(own, name)) return 'is not listed';
  const isOwn = /^h[1-6]$/.test(tag) || value.startsWith('user-content-');
  if (name === 'id' && !isOwn && !ids.has(value)) return 'has no reference';
  if (name === 'style' && value.split(';').some(isRefusedStyle)) return 'has a refused style';
  const words = name === 'rel' ? (value.toLowerCase().match(/\S+/g) ?? []) : [];
  if (words.some((word) => !has('rel', word))) return 'has another word';
  if (!/^(?:href|src|poster|cite)$/.test(name)) return undefined;
  if (kind === 'SVG' && tag !== 'image' && !value.startsWith('#'))
    return 'leads out of the drawing';
  const { protocol } = URL.parse(value, 'https://base.example/') ?? { protocol: 'https:' };
  const isPicture = name !== 'href' && /^\s*data:image\/(?!svg)[\w-]+[;,]/i.test(value);
  return isPicture || /^(?:https?|mailto|tel):$/.test(protocol) ? undefined : `is ${protocol}`;
}

function isRefusedStyle(declaration: string): boolean {
  const [, property = '', given = ''] =
    /^\s*(.*?)\s*(?::(.*))?$/s.exec(declaration.toLowerCase()) ?? [];
  const value = given.replace(/"[^"]*"|'[^']*'/g, '');
  if (property === '') return false;
  if (!has('styles', property) || /url|image-set|element\s*\(|[\\@{}<>[]|\/\*/.test(value))
    return true;
  return property === 'position' && !/^\s*(?:static|relative)\s*(?:!\s*important)?\s*$/.test(value);
}

/** Returns the ids that a tree refers to. */
function referencesIn({ attrs = [], childNodes = [] }: TreeNode): Set<string> {
  const values = attrs.flatMap(({ name, value }) =>
    name === 'id' ? [] : value.split(/[\s()'"]+/),
  );
  const found = new Set(values.map((word) => word.replace(/^#/, '')));
  for (const child of childNodes) for (const id of referencesIn(child)) found.add(id);
  return found;
}
