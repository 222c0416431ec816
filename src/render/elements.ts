import type { AddressBase } from './addresses.ts';
import { judgeFrame } from './frames.ts';
import { type Element, namespaces, outerHtml } from './parse-html.ts';
import type { Policy } from './policy.ts';
import { isProcessorPart, type ProcessorParts } from './processor-parts.ts';

/** What becomes of an element: `unwrap` puts its content in its place. */
type Fate = 'keep' | 'unwrap' | 'drop';

interface Rules {
  policy: Policy;
  parts: ProcessorParts;
  base: AddressBase;
}

/** Decides about an element by the policy, and by the namespace of the element around it. */
export function fateOf(element: Element, around: string, { policy, parts, base }: Rules): Fate {
  const { tagName: tag, namespaceURI: namespace } = element;
  // A drawing contains only its own elements, and so does a formula: a second parser may move others. It
  // takes the parts of a formula that are in the text of another one for HTML.
  const isOther = around === namespaces.SVG ? namespace !== around : namespace === namespaces.SVG;
  if (around !== namespaces.HTML && isOther) return 'drop';
  if (namespace === namespaces.SVG) return policy.svgTags.has(tag.toLowerCase()) ? 'keep' : 'drop';
  if (namespace === namespaces.MATHML || around === namespaces.MATHML) {
    return policy.mathTags.has(tag) ? 'keep' : 'drop';
  }
  if (isProcessorPart(element)) return parts.elements.has(outerHtml(element)) ? 'keep' : 'drop';
  if (tag === 'iframe') return judgeFrame(element, policy, base.media) ? 'keep' : 'drop';
  const isWidened = policy.widening.tags?.includes(tag);
  if (policy.droppedTags.has(tag) || tag.startsWith('astro-')) return 'drop';
  if (tag === 'input' && !isWidened) return isTaskMark(element) ? 'keep' : 'drop';
  return !policy.keptTags || policy.keptTags.has(tag) || isWidened ? 'keep' : 'unwrap';
}

/** Whether an element that was judged refers to nothing that it could draw. */
export function drawsNothing({ tagName, namespaceURI, attrs }: Element): boolean {
  const isReference = namespaceURI === namespaces.SVG && (tagName === 'use' || tagName === 'image');
  return isReference && !attrs.some(({ name }) => name === 'href');
}

/** The checkbox of a task list. */
function isTaskMark({ attrs }: Element): boolean {
  const isCheckbox = attrs.some(({ name, value }) => name === 'type' && /^checkbox$/i.test(value));
  return isCheckbox && attrs.some(({ name }) => name === 'disabled');
}
