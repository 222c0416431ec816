import { absoluteUrl, isAllowedUrl, mapSrcset, type UrlBase, urlKind } from './attribute-urls.ts';
import { safeStyle } from './inline-style.ts';
import { mathAttributes, svgAttributes } from './kept-names.ts';
import { type Attribute, type Element, namespaces } from './parse-html.ts';
import type { AllowList, Policy } from './policy.ts';
import { type ProcessorParts, partName } from './processor-parts.ts';
import { isRefusedAttribute } from './refused-names.ts';

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
 * Makes the URLs of an element absolute, and drops the attributes that the policy does not keep. Replaces the
 * list instead of changing it, because elements that the parser cloned share it.
 */
export function sanitizeAttributes(element: Element, rules: SanitizeRules): void {
  element.attrs = element.attrs.flatMap((attribute) => {
    const { name } = attribute;
    const value = sanitizeValue(attribute, element, rules);
    if (value === attribute.value) return [attribute];
    // Of these, only a part may be dropped.
    if (value === undefined || name === 'class' || name === 'style') rules.drop(name);
    return value === undefined ? [] : [{ ...attribute, value }];
  });
}

/** Returns the value that an attribute keeps; undefined when it is dropped. */
function sanitizeValue(
  attribute: Attribute,
  element: Element,
  { policy, base, parts }: SanitizeRules,
): string | undefined {
  const { tagName: tag, namespaceURI: namespace } = element;
  const { value } = attribute;
  const name = attribute.name.toLowerCase();
  const isListed =
    policy !== undefined &&
    !isRefusedAttribute(name) &&
    (isIn(policy.allowList.attributes, tag, name) || parts.has(partName(tag, attribute)));
  if (policy && !isListed && !isKept(attribute, element, policy)) return undefined;
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
  if (name === 'style') return safeStyle(value, policy.styleProperties) || undefined;
  if (name === 'class' && policy.keptClasses) {
    const { keptClasses } = policy;
    const kept = value.replace(/\S+/g, (each) => (keptClasses(tag, each) ? each : ''));
    return kept === value ? value : kept.trim() || undefined;
  }
  // With `opener`, a page that is opened could navigate the one that opened it.
  if (name === 'rel') return /\bopener\b/i.test(value) ? undefined : value;
  const allowed = allowedValues[name];
  if (allowed) return allowed.test(value) ? value : undefined;
  return namespace !== namespaces.HTML && loadsOutside(value) ? undefined : value;
}

const allowedValues: Readonly<Record<string, RegExp>> = {
  target: /^_(?:blank|self|parent|top)$/i,
  tabindex: /^(?:0|-1)$/,
  // A negative level makes a formula larger, and nested ones multiply.
  scriptlevel: /^\d$/,
};

/** Whether the policy keeps an attribute of an element. */
function isKept({ name: given, prefix = '' }: Attribute, element: Element, policy: Policy) {
  const { tagName: tag, namespaceURI: namespace } = element;
  const name = given.toLowerCase();
  if (isRefusedAttribute(name) || /[^a-z]/.test(prefix)) return false;
  if (policy.attributes.has(name)) return true;
  if (/^(?:aria|data)-/.test(name)) return policy.keepsData;
  if (namespace === namespaces.SVG) return svgAttributes.has(name);
  if (namespace === namespaces.MATHML) return mathAttributes.has(name);
  return (
    Object.hasOwn(policy.htmlAttributes, tag) && policy.htmlAttributes[tag]?.has(name) === true
  );
}

/** Whether an attribute is in a list by tag name or `*`. */
function isIn(lists: AllowList['attributes'], tag: string, name: string): boolean {
  return [tag, '*'].some((key) => lists && Object.hasOwn(lists, key) && lists[key]?.includes(name));
}

/** Whether an SVG attribute refers to anything outside the document; `url(#part)` does not. */
function loadsOutside(value: string): boolean {
  const rest = value.replace(/url\(\s*(?:#[^"'()\\]*|(["'])#[^"'()\\]*\1\s*)\)/gi, '');
  return /\\|(?:url|src|image|image-set|cross-fade|element|paint)\s*\(/i.test(rest);
}
