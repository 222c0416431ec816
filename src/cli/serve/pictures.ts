import { parse, postprocess, preprocess } from 'micromark';

/** The extensions of pictures that the service sends. */
export const pictureFile = /\.(avif|gif|jpe?g|png|svg|webp)$/i;
const mentionsPicture = /\.(?:avif|gif|jpe?g|png|svg|webp)/i;

/**
 * Replaces the URLs of pictures in Markdown and in its HTML. Text and code are unchanged.
 *
 * @param replace returns the new URL; undefined keeps the present one
 */
export function replacePictures(
  markdown: string,
  replace: (url: string) => string | undefined,
): string {
  if (!mentionsPicture.test(markdown)) return markdown;
  let result = '';
  let end = 0;
  for (const place of placesOf(markdown)) {
    const url = markdown.slice(place.start, place.end);
    result += markdown.slice(end, place.start) + (replace(withoutEscapes(url)) ?? url);
    end = place.end;
  }
  return result + markdown.slice(end);
}

/** Finds the URLs of images, of definitions, and in the `src` of HTML, in the order of the text. */
function placesOf(markdown: string): { start: number; end: number }[] {
  const tokens = preprocess()(markdown, undefined, true);
  const events = postprocess(parse().document().write(tokens));
  const places: { start: number; end: number }[] = [];
  // The innermost image or link comes last.
  const open: string[] = [];
  for (const [kind, { type, start, end }] of events) {
    if (type === 'image' || type === 'link') {
      if (kind === 'enter') open.push(type);
      else open.pop();
    }
    if (kind === 'exit') continue;
    const isImage = type === 'resourceDestinationString' && open.at(-1) === 'image';
    if (isImage || type === 'definitionDestinationString') {
      places.push({ start: start.offset, end: end.offset });
    }
    if (type === 'htmlFlow' || type === 'htmlText') {
      const html = markdown.slice(start.offset, end.offset);
      for (const { index, 0: attribute, 1: quoted, 2: single, 3: plain } of html.matchAll(source)) {
        const url = quoted ?? single ?? plain ?? '';
        const at = start.offset + index + attribute.lastIndexOf(url);
        places.push({ start: at, end: at + url.length });
      }
    }
  }
  return places;
}

const source = /\ssrc\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s"'>]+))/gi;

function withoutEscapes(url: string): string {
  return url.replace(/\\([!-/:-@[-`{-~])/g, '$1');
}
