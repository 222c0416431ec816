import { declarationsOf } from '../inline-style.ts';
import { attributeOf, type Element, elementsOf, type Parent, setAttribute } from '../parse-html.ts';

/**
 * Matches the padding that gives a box its height. The number of digits is limited, because the number is written into
 * `aspect-ratio`.
 */
const ratioPadding = /^padding(?:-top|-bottom)?\s*:[\s0]*([\d.]{1,12})%/i;
const heightProperty = /^(?:padding(?:-top|-bottom)?|height)\s*:/i;
const placeProperty = /^(?:position|top|right|bottom|left|inset|width|height)\s*:/i;
/** The style of a frame that covers its box. */
const coveringStyle = ['position:absolute', 'width:100%', 'height:100%'];
/**
 * Moves the ratio of each box to the frame in it. Vimeo, CKEditor and Iframely set the ratio by the padding of the box, and
 * lay the frame over it with `position: absolute`, which articles may not use.
 */
export function moveRatiosToFrames(tree: Parent): void {
  for (const frame of elementsOf(tree)) {
    const box = frame.parentNode;
    if (frame.tagName === 'iframe' && box && 'tagName' in box) moveRatio(frame, box);
  }
}

function moveRatio(frame: Element, box: Element): void {
  const frameStyle = styleOf(frame);
  const compact = frameStyle.map((declaration) => declaration.replace(/\s+/g, '').toLowerCase());
  if (!coveringStyle.every((part) => compact.includes(part))) return;
  const boxStyle = styleOf(box);
  const heights = boxStyle.map((declaration) => Number(ratioPadding.exec(declaration)?.[1]));
  // The last one counts: CKEditor writes two.
  const height = heights.findLast((percent) => percent > 0);
  if (!height) return;
  const others = frameStyle.filter((declaration) => !placeProperty.test(declaration));
  const size = ['display:block', 'width:100%', 'height:auto', `aspect-ratio:100/${height}`];
  const rest = boxStyle.filter((declaration) => !heightProperty.test(declaration));
  setAttribute(box, 'style', rest.join(';') || undefined);
  setAttribute(frame, 'style', [...others, ...size].join(';'));
}

function styleOf(element: Element): string[] {
  return declarationsOf(attributeOf(element, 'style') ?? '');
}
