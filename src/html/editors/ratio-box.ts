import { declarationsOf } from '../inline-style.ts';
import { attributeOf, type Element, elementsOf, type Parent, setAttribute } from '../parse-html.ts';

/** The number of digits is limited, because the number is written into `aspect-ratio`. */
const percent = String.raw`([\d.]{1,12})%`;
/** Matches a padding above or below, and on no other side. */
const ratioPadding = new RegExp(
  String.raw`^padding(?:-(?:top|bottom)\s*:\s*${percent}|\s*:\s*(?:0\s+0\s+${percent}|${percent}\s+0\s+0)(?:\s+0)?)$`,
  'i',
);
const heightProperty = /^(?:padding(?:-top|-bottom)?|height)\s*:/i;
const placeProperty = /^(?:position|top|right|bottom|left|inset|width|height)\s*:/i;
/** The style of a frame that covers its box. */
const coveringStyle = ['position:absolute', 'width:100%', 'height:100%'];
/** Matches the width of a narrower box. Its padding is a percentage of the element around it, so it has another ratio. */
const narrowWidth = /^width\s*:(?!\s*100%).*%/i;

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
  const height = ratioHeight(box);
  if (!height || boxStyle.some((declaration) => narrowWidth.test(declaration))) return;
  const others = frameStyle.filter((declaration) => !placeProperty.test(declaration));
  const size = ['display:block', 'width:100%', 'height:auto', `aspect-ratio:100/${height}`];
  const rest = boxStyle.filter((declaration) => !heightProperty.test(declaration));
  setAttribute(box, 'style', rest.join(';') || undefined);
  setAttribute(frame, 'style', [...others, ...size].join(';'));
}

/** Returns the height that padding gives to an element without content, in percent of its width; undefined if none does. */
function ratioHeight(element: Element): number | undefined {
  const heights = styleOf(element).map((declaration) => {
    const [, ofSide, below, above] = ratioPadding.exec(declaration) ?? [];
    return Number(ofSide ?? below ?? above);
  });
  return heights.findLast((height) => height > 0);
}

function styleOf(element: Element): string[] {
  return declarationsOf(attributeOf(element, 'style') ?? '').map((part) => part.trim());
}
