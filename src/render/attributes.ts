import { isRefusedAttribute } from '../shared/widening.ts';
import {
  type AddressBase,
  absolute,
  addressKind,
  isAllowedAddress,
  mapSrcset,
} from './addresses.ts';
import { isModestFormula, type StyleContext, safeStyle } from './inline-style.ts';
import { type Attribute, type Element, namespaces } from './parse-html.ts';
import type { Policy } from './policy.ts';

/** How the attributes of a document are judged. */
export interface Judgement {
  /** Absent: everything is kept. */
  policy: Policy | undefined;
  base: AddressBase;
  /** Classes that the highlighter of the site writes. */
  classes: ReadonlySet<string>;
  /** Collects the names of what was dropped. */
  drop: (name: string) => void;
}

/**
 * Makes the addresses of an element absolute, and drops the attributes that the policy does not allow. The
 * list is replaced, because the elements that a parser repeats share theirs.
 */
export function judgeAttributes(
  element: Element,
  styles: StyleContext,
  judgement: Judgement,
): void {
  const { policy, drop } = judgement;
  const kept: Attribute[] = [];
  for (const attribute of element.attrs) {
    const value = judge(attribute, { element, styles, judgement });
    const isSame = value === attribute.value;
    if (value === undefined || (!isSame && isReduced.test(attribute.name))) drop(attribute.name);
    if (value !== undefined) kept.push(isSame ? attribute : { ...attribute, value });
  }
  element.attrs = policy ? withoutClobbering(kept, drop) : kept;
}

/** Attributes of which only a part may be dropped. */
const isReduced = /^(?:class|style)$/;

interface Place {
  element: Element;
  /** The styles of the elements around it. */
  styles: StyleContext;
  judgement: Judgement;
}

/** Returns the value that an attribute keeps; undefined when it is dropped. */
function judge(attribute: Attribute, { element, styles, judgement }: Place) {
  const { policy, base, classes } = judgement;
  const { tagName: tag, namespaceURI: namespace } = element;
  const { value } = attribute;
  const name = attribute.name.toLowerCase();
  const isForeign = namespace !== namespaces.HTML;
  const isWidened = policy !== undefined && widens(policy, tag, name);
  if (policy && (isWidened ? isRefusedAttribute(name) : !isAllowed(attribute, element, policy))) {
    return undefined;
  }
  const kind = addressKind(tag, name);
  if (kind === 'link' && policy && namespace === namespaces.SVG) {
    return value.startsWith('#') ? value : undefined;
  }
  if (kind) {
    const judgeAddress = (address: string) =>
      policy && !isAllowedAddress(address, kind) ? undefined : absolute(address, base, kind);
    return name === 'srcset' ? mapSrcset(value, judgeAddress) || undefined : judgeAddress(value);
  }
  if (!policy || isWidened) return value;
  if (name === 'style') return safeStyle(value, policy.styleProperties, styles) || undefined;
  if (name === 'class') return classesOf(value, { tag, policy, classes });
  // A page that is opened must not be able to reach the one that opened it.
  if (name === 'rel') return /\bopener\b/i.test(value) ? withoutOpener(value) : value;
  if (name === 'target') return /^_(?:blank|self|parent|top)$/i.test(value) ? value : undefined;
  if (namespace === namespaces.MATHML && !isModestFormula(name, value)) return undefined;
  return isForeign && loadsOutside(value) ? undefined : value;
}

const plainName = /^[a-z_][\w-]*$/i;
/** Attributes of custom elements that no component takes for its settings. */
const customAttribute =
  /^(?:class|style|id|title|lang|dir|hidden|role|tabindex|translate|(?:data|aria)-.+)$/;
/** What paints outside the box of an `<svg>`. */
const leavesBox = /^(?:filter|overflow|transform)$/;

function isAllowed(
  { name: given, prefix = '' }: Attribute,
  { tagName: tag }: Element,
  policy: Policy,
): boolean {
  const name = given.toLowerCase();
  if (!plainName.test(given) || /[^a-z]/.test(prefix)) return false;
  if (policy.droppedAttributes.test(name)) return false;
  if (tag === 'svg') return !leavesBox.test(name);
  if (tag.includes('-')) return customAttribute.test(name);
  const kept = policy.keptAttributes;
  return !kept || !!kept['*']?.has(name) || (Object.hasOwn(kept, tag) && !!kept[tag]?.has(name));
}

function widens({ widening: { attributes = {} } }: Policy, tag: string, name: string): boolean {
  return [tag, '*'].some(
    (key) => Object.hasOwn(attributes, key) && attributes[key]?.includes(name),
  );
}

function classesOf(
  value: string,
  { tag, policy, classes }: { tag: string; policy: Policy; classes: ReadonlySet<string> },
): string | undefined {
  const { keptClasses } = policy;
  if (!keptClasses) return value;
  const given = value.split(/\s+/);
  const kept = given.filter(
    (name) => keptClasses(tag, name) || (tag === 'pre' && classes.has(name)),
  );
  return kept.length === given.length ? value : kept.join(' ') || undefined;
}

function withoutOpener(value: string): string | undefined {
  const kept = value.split(/\s+/).filter((word) => word.toLowerCase() !== 'opener');
  return kept.join(' ') || undefined;
}

/** Whether an attribute of a drawing names anything but a part of the document, as `url(#part)` does. */
function loadsOutside(value: string): boolean {
  if (!value.includes('(') && !value.includes('\\')) return false;
  const rest = value.replace(/url\(\s*(?:#[^"'()\\]*|(["'])#[^"'()\\]*\1\s*)\)/gi, '');
  return /\\|(?:url|src|image|image-set|cross-fade|element|paint)\s*\(/i.test(rest);
}

/** Attributes with which an id becomes a global variable of the page that reads as the article says. */
const valued = /^(?:href|src|srcset|poster|data|cite|value|action|background)$/;

/** Drops the id of an element that scripts of the site could take for their own settings. */
function withoutClobbering(attributes: Attribute[], drop: (name: string) => void): Attribute[] {
  if (attributes.length < 2 || !attributes.some(({ name }) => name === 'id')) return attributes;
  const isSetting = attributes.some(
    ({ name, value }) => valued.test(name) && !value.startsWith('#'),
  );
  if (!isSetting) return attributes;
  drop('id');
  return attributes.filter(({ name }) => name !== 'id');
}
