import { attributeOf, type Element, isElement, type Parent, setAttribute } from './parse-html.ts';

/** The numbers are short, because `aspect-ratio` has them. */
const percent = String.raw`(\d{1,4}(?:\.\d{1,9})?)%`;
/** Matches a padding above or below, and on no other side. */
const ratioPadding = new RegExp(
  String.raw`^\s*padding(?:-(?:top|bottom)\s*:\s*${percent}|\s*:\s*(?:0\s+0\s+${percent}|${percent}\s+0\s+0)(?:\s+0)?)\s*$`,
  'i',
);
const isHeight = /^\s*(?:padding(?:-top|-bottom)?|height)\s*:/i;
const fills = [/^\s*position\s*:\s*absolute\b/i, /^\s*width\s*:\s*100%/i];
const isPlace = /^\s*(?:position|top|right|bottom|left|inset|width|height)\s*:/i;

/** Returns the height that padding gives to an element without content, in percent of its width; undefined if none does. */
export function ratioHeight(element: Parent): number | undefined {
  const heights = declarationsOf(element).map((declaration) => {
    const [, ofSide, below, above] = ratioPadding.exec(declaration) ?? [];
    return Number(ofSide ?? below ?? above);
  });
  return heights.findLast((height) => height > 0);
}

/**
 * Gives a frame the size of the box around it. In the code that Vimeo, CKEditor and Iframely write, the padding of a box has
 * the ratio of a video, and the frame is placed on it by `position: absolute`, which articles may not use.
 */
export function fillRatioBox(frame: Element, box: Parent): void {
  const own = declarationsOf(frame);
  if (!isElement(box) || !fills.every((pattern) => own.some((part) => pattern.test(part)))) return;
  const height = ratioHeight(box);
  if (!height) return;
  const ofBox = declarationsOf(box).filter((declaration) => !isHeight.test(declaration));
  const others = own.filter((declaration) => !isPlace.test(declaration));
  const size = ['width:100%', 'height:auto', `aspect-ratio:100/${height}`];
  setAttribute(box, 'style', ofBox.join(';') || undefined);
  setAttribute(frame, 'style', [...others, ...size].join(';'));
}

function declarationsOf(element: Parent): string[] {
  const style = isElement(element) ? attributeOf(element, 'style') : undefined;
  return style?.split(';').filter((part) => part.trim() !== '') ?? [];
}
