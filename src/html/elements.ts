import { isRefusedTag } from '../shared/refused-names.ts';
import type { SanitizeRules } from './attributes.ts';
import { mathTags, svgTags, tagsWithoutText, wordSet } from './kept-names.ts';
import { attributeOf, type Element, namespaces, outerHtml, setAttribute } from './parse-html.ts';
import { isStrayItem, type Place } from './place.ts';
import type { Policy } from './policy.ts';
import { isProcessorPart } from './processor-parts.ts';

/**
 * Decides about an element by the policy, and by the place that it is in. `unwrap` replaces an element by its
 * content; `drop` removes its content, too.
 *
 * @param around the namespace of the element around it, and the lists around it
 */
export function actionFor(
  element: Element,
  { namespace: around, lists }: Place,
  { policy, parts, base }: SanitizeRules,
): 'keep' | 'unwrap' | 'drop' {
  if (!policy) return 'keep';
  const { tagName: tag, namespaceURI: namespace } = element;
  if (around !== namespaces.HTML || namespace !== namespaces.HTML)
    return isForeignKept(element, around) && !policy.isStrict ? 'keep' : 'drop';
  if (isProcessorPart(element)) return parts.has(outerHtml(element)) ? 'keep' : 'drop';
  if (tag === 'iframe') return sanitizeFrame(element, policy, base.media) ? 'keep' : 'drop';
  if (isStrayItem(tag, lists)) return 'unwrap';
  const action = actionForHtml(element, policy, parts);
  if (action === 'keep' && isStartedByScript(element)) setAttribute(element, 'controls', '');
  return action;
}

/** Returns whether only a script could start a video or a sound, which no script of an article does. */
function isStartedByScript(element: Element): boolean {
  const { tagName: tag } = element;
  if (attributeOf(element, 'controls') !== undefined) return false;
  return tag === 'audio' || (tag === 'video' && attributeOf(element, 'autoplay') === undefined);
}

function actionForHtml(element: Element, policy: Policy, parts: SanitizeRules['parts']) {
  const { tagName: tag } = element;
  const isNamed = policy.allowList?.tags?.includes(tag);
  // `parts` has `input`, because processors write task lists.
  if (tag === 'input' && !isNamed) return sanitizeCheckbox(element) ? 'keep' : 'drop';
  if ((isNamed || parts.has(tag)) && !isRefusedTag(tag)) return 'keep';
  // Browsers that cannot show its file show its content.
  if (tag === 'object') return 'unwrap';
  if (tagsWithoutText.has(tag)) return 'drop';
  const isCustom = !policy.isStrict && tag.includes('-') && !isRefusedTag(tag);
  return isCustom || policy.tags.has(tag) ? 'keep' : 'unwrap';
}

/**
 * Returns whether an element of SVG or MathML, or within one, is kept. SVG contains only SVG here, and MathML only MathML:
 * another parser may move other elements out of them, and parses MathML within the text of MathML as HTML (mutation XSS).
 */
function isForeignKept({ tagName: tag, namespaceURI: namespace }: Element, around: string) {
  const outer = around === namespaces.HTML ? namespace : around;
  if (outer === namespaces.MATHML) return mathTags.has(tag);
  return namespace === namespaces.SVG && svgTags.has(tag.toLowerCase());
}

/**
 * Disables a checkbox, as Markdown does in task lists.
 *
 * @returns whether an `<input>` is one
 */
function sanitizeCheckbox(element: Element): boolean {
  if (!/^checkbox$/i.test(attributeOf(element, 'type') ?? '')) return false;
  if (attributeOf(element, 'disabled') === undefined) setAttribute(element, 'disabled', '');
  return true;
}

/** The features that affect only the frame itself. */
const safeFeatures = wordSet('autoplay encrypted-media fullscreen picture-in-picture web-share');

/** Returns the page of a frame, by https; undefined if it has none, or one that no option allows. */
export function framedPage(element: Element, base: URL): URL | undefined {
  const source = attributeOf(element, 'src')?.trim();
  const url = source ? URL.parse(source, base) : undefined;
  if (!url || !/^https?:/.test(url.protocol)) return undefined;
  if (url.port || url.username || url.password) return undefined;
  url.protocol = 'https:';
  return url;
}

/**
 * Empties a frame, reduces its features, and writes its URL with https.
 *
 * @returns whether it shows a page of an allowed host, at its usual port
 */
function sanitizeFrame(element: Element, { frames }: Policy, base: URL): boolean {
  const url = framedPage(element, base);
  if (!url || (frames !== 'any' && !frames.has(url.hostname))) return false;
  element.childNodes = [];
  if (attributeOf(element, 'src') !== url.href) setAttribute(element, 'src', url.href);
  const features = attributeOf(element, 'allow')
    ?.split(';')
    .map((feature) => feature.trim());
  const kept = features?.filter((feature) => safeFeatures.has(feature)).join('; ');
  setAttribute(element, 'allow', kept || undefined);
  return true;
}
