import type { UrlBase } from './attribute-urls.ts';
import { sanitizeFrame } from './frames.ts';
import { type Element, namespaces, outerHtml } from './parse-html.ts';
import type { Policy } from './policy.ts';
import { isProcessorPart, type ProcessorParts } from './processor-parts.ts';

/** `unwrap` replaces an element by its content; `drop` removes its content, too. */
type ElementAction = 'keep' | 'unwrap' | 'drop';

interface Rules {
  policy: Policy;
  parts: ProcessorParts;
  base: UrlBase;
}

/** Decides about an element by the policy, and by the namespace of the element around it. */
export function actionFor(
  element: Element,
  around: string,
  { policy, parts, base }: Rules,
): ElementAction {
  const { tagName: tag, namespaceURI: namespace } = element;
  // SVG contains only SVG here, and MathML only MathML: another parser may move other elements out of them,
  // and parses MathML within the text of MathML as HTML (mutation XSS).
  const isOther = around === namespaces.SVG ? namespace !== around : namespace === namespaces.SVG;
  if (around !== namespaces.HTML && isOther) return 'drop';
  if (namespace === namespaces.SVG) return policy.svgTags.has(tag.toLowerCase()) ? 'keep' : 'drop';
  if (namespace === namespaces.MATHML || around === namespaces.MATHML) {
    return policy.mathTags.has(tag) ? 'keep' : 'drop';
  }
  if (isProcessorPart(element)) return parts.elements.has(outerHtml(element)) ? 'keep' : 'drop';
  if (tag === 'iframe') return sanitizeFrame(element, policy, base.media) ? 'keep' : 'drop';
  const isListed = policy.allowList.tags?.includes(tag);
  if (policy.droppedTags.has(tag) || tag.startsWith('astro-')) return 'drop';
  if (tag === 'input' && !isListed) return isTaskCheckbox(element) ? 'keep' : 'drop';
  return !policy.keptTags || policy.keptTags.has(tag) || isListed ? 'keep' : 'unwrap';
}

/** Whether an `<input>` is the checkbox of a task list. */
function isTaskCheckbox({ attrs }: Element): boolean {
  const isCheckbox = attrs.some(({ name, value }) => name === 'type' && /^checkbox$/i.test(value));
  return isCheckbox && attrs.some(({ name }) => name === 'disabled');
}
