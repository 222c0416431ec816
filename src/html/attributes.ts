import type { DroppedHtml } from '../shared/dropped-html.ts';
import { isRefusedAttribute } from '../shared/refused-names.ts';
import {
  absoluteUrl,
  isAllowedUrl,
  mapSrcset,
  schemeOf,
  type UrlBase,
  urlKind,
} from './attribute-urls.ts';
import { addDropped, type DroppedParts } from './dropped.ts';
import { safeStyle } from './inline-style.ts';
import { linkTypes, mathAttributes, svgAttributes } from './kept-names.ts';
import { type Attribute, type Element, namespaces } from './parse-html.ts';
import type { Policy } from './policy.ts';
import { type ProcessorParts, partName } from './processor-parts.ts';

/** The rules for the elements and attributes of a document. */
export interface SanitizeRules {
  /** Absent: everything is kept. */
  policy: Policy | undefined;
  base: UrlBase;
  /** What the Markdown processor of the site writes by itself. */
  parts: ProcessorParts;
  /** Receives the elements and attributes that are dropped. */
  dropped: DroppedParts;
}

/**
 * Makes the URLs of an element absolute, and drops the attributes that the policy does not keep. Replaces the
 * list instead of changing it, because elements that the parser cloned share it.
 */
export function sanitizeAttributes(element: Element, rules: SanitizeRules): void {
  element.attrs = element.attrs.flatMap((attribute) => {
    const value = keptValue(attribute, element, rules);
    return value === undefined ? [] : [{ ...attribute, value }];
  });
}

const tagInText = /<[a-z!/?]/i;

/** Returns the value that an attribute keeps; undefined when it is dropped. */
function keptValue(
  attribute: Attribute,
  element: Element,
  rules: SanitizeRules,
): string | undefined {
  const { policy, base, dropped } = rules;
  const { tagName: on, namespaceURI: namespace } = element;
  const { value } = attribute;
  const name = attribute.name.toLowerCase();
  const drop = (kind: DroppedHtml['kind'], scheme?: string) => {
    addDropped(dropped, { kind, name: attribute.name, on, scheme });
    return undefined;
  };

  const isFree = !policy || isInLists(attribute, element, policy, rules.parts);
  if (!isFree && !isKept(name, element, policy)) return drop('attribute');
  const kind = urlKind(on, name);
  if (kind) {
    const sanitizeUrl = (url: string) => {
      if (!policy || isKeptUrl(url, element, kind)) return absoluteUrl(url, base, kind);
      // Converters write an empty link for what they cannot resolve, and players have empty pictures.
      return url.trim() !== '' || kind === 'link' ? drop('url', schemeOf(url)) : undefined;
    };
    return name === 'srcset' ? mapSrcset(value, sanitizeUrl) || undefined : sanitizeUrl(value);
  }
  if (isFree) return value;
  // Some script libraries write `title` and `alt` as HTML.
  if (name !== 'class' && tagInText.test(value)) return drop('text with a tag');
  const kept = sanitizeText(name, value, namespace, policy);
  // Nothing is lost with an attribute that is empty, such as `style=""`.
  if (kept !== value && value.trim() !== '') drop('value');
  return kept;
}

/** Returns whether a URL is kept. The links of a drawing lead to its own parts only. */
function isKeptUrl(url: string, element: Element, kind: 'media' | 'link'): boolean {
  if (kind === 'link' && element.namespaceURI === namespaces.SVG) return url.startsWith('#');
  return isAllowedUrl(url, kind) && url.trim() !== '';
}

/** Returns the value that an attribute without a URL keeps; undefined when it is dropped. */
function sanitizeText(name: string, value: string, namespace: string, policy: Policy) {
  if (name === 'style') return safeStyle(value, policy.styleProperties) || undefined;
  if (name === 'class') return keepWords(value, (word) => isClassKept(word, policy));
  if (name === 'rel') return keepWords(value, (word) => linkTypes.has(word.toLowerCase()));
  const allowed = allowedValues[name];
  if (allowed) return allowed.test(value) ? value : undefined;
  if (namespace === namespaces.HTML) return value;
  return value.length > maxDrawing || loadsOutside(value) ? undefined : value;
}

/** Characters of an attribute of a drawing: a browser tab hangs with a wide stroke along a path of 300,000. */
const maxDrawing = 10_000;

const allowedValues: Readonly<Record<string, RegExp>> = {
  target: /^_(?:blank|self|parent|top)$/i,
  tabindex: /^(?:0|-1)$/,
  // A negative level makes a formula larger, and nested ones multiply.
  scriptlevel: /^\d$/,
};

function isClassKept(name: string, { keptClasses }: Policy): boolean {
  return keptClasses === 'any' || keptClasses.has(name) || /^language-./.test(name);
}

/** Keeps some words of a list that is separated by spaces. */
function keepWords(value: string, isWordKept: (word: string) => boolean): string | undefined {
  const kept = value.replace(/\S+/g, (word) => (isWordKept(word) ? word : ''));
  return kept === value ? value : kept.replace(/\s+/g, ' ').trim() || undefined;
}

/** Returns whether the site lists an attribute, or its processor writes it by itself. */
function isInLists(
  attribute: Attribute,
  { tagName: tag }: Element,
  { allowList }: Policy,
  parts: ProcessorParts,
): boolean {
  const name = attribute.name.toLowerCase();
  const isData = name.startsWith('data-');
  const isSame = parts.has(partName(tag, attribute));
  if (isRefusedAttribute(name)) return isData && isSame;
  if (isSame || (isData && parts.has(`${tag} ${name}`))) return true;
  // A style is filtered also where a site lists it: it may cover the page, or request a picture.
  if (name === 'style') return false;
  const lists = allowList?.attributes ?? {};
  return [tag, '*'].some((key) => Object.hasOwn(lists, key) && lists[key]?.includes(name));
}

/** Returns whether the policy keeps an attribute of an element. */
function isKept(
  name: string,
  { tagName: tag, namespaceURI: namespace }: Element,
  policy: Policy,
): boolean {
  if (isRefusedAttribute(name)) return false;
  if (policy.attributes.has(name) || name.startsWith('aria-')) return true;
  if (namespace === namespaces.SVG) return svgAttributes.has(name);
  if (namespace === namespaces.MATHML) return mathAttributes.has(name);
  return policy.htmlAttributes.get(tag)?.has(name) ?? false;
}

/** Returns whether an SVG attribute refers to anything outside the document; `url(#part)` does not. */
function loadsOutside(value: string): boolean {
  const rest = value.replace(/url\(\s*(["']?)#[^"'()\\]*\1\s*\)/gi, '');
  return /\\|(?:url|src|image|set|fade|element|paint)\s*\(/i.test(rest);
}
