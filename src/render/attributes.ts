import { type AllowList, isRefusedAttribute } from '../shared/allow-list.ts';
import { absoluteUrl, isAllowedUrl, mapSrcset, type UrlBase, urlKind } from './attribute-urls.ts';
import { isModestFormula, type StyleContext, safeStyle } from './inline-style.ts';
import { type Attribute, type Element, namespaces } from './parse-html.ts';
import type { Policy } from './policy.ts';
import type { ProcessorParts } from './processor-parts.ts';

/** The rules for the elements and attributes of a document. */
export interface SanitizeRules {
  /** Absent: everything is kept. */
  policy: Policy | undefined;
  base: UrlBase;
  /** What the Markdown processor of the site writes by itself. */
  parts: ProcessorParts;
  /** Collects the names of what was dropped. */
  drop: (name: string) => void;
}

/**
 * Makes the URLs of an element absolute, and drops the attributes that the policy does not allow. Replaces the
 * list instead of changing it, because elements that the parser cloned share it.
 */
export function sanitizeAttributes(
  element: Element,
  styles: StyleContext,
  rules: SanitizeRules,
): void {
  const { policy, drop } = rules;
  const kept = element.attrs.flatMap((attribute) => {
    const { name } = attribute;
    const value = sanitizeValue(attribute, element, { ...rules, styles });
    if (value === attribute.value) return [attribute];
    // Of these, only a part may be dropped.
    if (value === undefined || name === 'class' || name === 'style') drop(name);
    return value === undefined ? [] : [{ ...attribute, value }];
  });
  element.attrs = policy ? withoutClobbering(kept, drop) : kept;
}

/** Returns the value that an attribute keeps; undefined when it is dropped. */
function sanitizeValue(
  attribute: Attribute,
  element: Element,
  { policy, base, parts, styles }: SanitizeRules & { styles: StyleContext },
): string | undefined {
  const { tagName: tag, namespaceURI: namespace } = element;
  const { value } = attribute;
  const name = attribute.name.toLowerCase();
  const isListed = policy !== undefined && isIn(policy.allowList.attributes, tag, name);
  if (policy && (isListed ? isRefusedAttribute(name) : !isAllowed(attribute, tag, policy))) {
    return undefined;
  }
  const kind = urlKind(tag, name);
  if (kind === 'link' && policy && namespace === namespaces.SVG) {
    return value.startsWith('#') ? value : undefined;
  }
  if (kind) {
    const sanitizeUrl = (url: string) =>
      policy && !isAllowedUrl(url, kind) ? undefined : absoluteUrl(url, base, kind);
    return name === 'srcset' ? mapSrcset(value, sanitizeUrl) || undefined : sanitizeUrl(value);
  }
  if (!policy || isListed) return value;
  if (name === 'style') return safeStyle(value, policy.styleProperties, styles) || undefined;
  if (name === 'class' && policy.keptClasses) {
    const { keptClasses } = policy;
    const isKept = (each: string) =>
      keptClasses(tag, each) || (tag === 'pre' && parts.codeClasses.has(each));
    const kept = value.replace(/\S+/g, (each) => (isKept(each) ? each : ''));
    return kept === value ? value : kept.trim() || undefined;
  }
  // With `opener`, a page that is opened could navigate the one that opened it.
  if (name === 'rel') return /\bopener\b/i.test(value) ? undefined : value;
  if (name === 'target') return /^_(?:blank|self|parent|top)$/i.test(value) ? value : undefined;
  if (namespace === namespaces.MATHML && !isModestFormula(name, value)) return undefined;
  return namespace !== namespaces.HTML && loadsOutside(value) ? undefined : value;
}

const plainName = /^[a-z_][\w-]*$/i;
/** Matches the attributes of custom elements that no component uses as its settings. */
const customAttribute =
  /^(?:class|style|id|title|lang|dir|hidden|role|tabindex|translate|(?:data|aria)-.+)$/;
/** Matches attributes that let an `<svg>` paint outside its box. */
const paintsOutside = /^(?:filter|overflow|transform)$/;

function isAllowed({ name: given, prefix = '' }: Attribute, tag: string, policy: Policy): boolean {
  const name = given.toLowerCase();
  if (!plainName.test(given) || /[^a-z]/.test(prefix)) return false;
  if (policy.droppedAttributes.test(name)) return false;
  if (tag === 'svg') return !paintsOutside.test(name);
  if (tag.includes('-')) return customAttribute.test(name);
  return !policy.keptAttributes || isIn(policy.keptAttributes, tag, name);
}

/** Whether an attribute is in a list by tag name or `*`. */
function isIn(lists: AllowList['attributes'], tag: string, name: string): boolean {
  return [tag, '*'].some((key) => lists && Object.hasOwn(lists, key) && lists[key]?.includes(name));
}

/** Whether an SVG attribute refers to anything outside the document; `url(#part)` does not. */
function loadsOutside(value: string): boolean {
  if (!value.includes('(') && !value.includes('\\')) return false;
  const rest = value.replace(/url\(\s*(?:#[^"'()\\]*|(["'])#[^"'()\\]*\1\s*)\)/gi, '');
  return /\\|(?:url|src|image|image-set|cross-fade|element|paint)\s*\(/i.test(rest);
}

/**
 * Attributes with a value that the article chooses. In an element with an id, a script of the page could read them
 * from `window[id]` as its settings (DOM clobbering).
 */
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
