import type { Comment, Element, Root } from 'hast';
import { toHtml } from 'hast-util-to-html';
import { visit } from 'unist-util-visit';

/** An image in the body of an article, taken out of its HTML. */
export interface BodyImage {
  url: string;
  /** As it stands where nobody downloads it. */
  html: string;
  alt: string;
  title?: string;
  /** In pixels, where the article gives it. */
  width?: number;
}

/** The path of an image's file, relative to that of the entry, if there is one. */
export type FileOf = (url: string) => string | undefined;

/** HTML whose images are taken out, each with a comment in its place. */
export interface OpenHtml {
  html: string;
  images: BodyImage[];
  /** What the comments begin with: something that the HTML does not contain otherwise. */
  mark: string;
}

const plainMark = 'image';
const anyMark = /<!--image-*/g;
// What Astro's `render()` looks for, to put an optimised image in its place.
const astroMark = '__ASTRO_IMAGE_="';

/** Takes the web images out of a tree. Those of a `<picture>` stay: its sources decide what is shown. */
export function takeImages(tree: Root): OpenHtml {
  const images: BodyImage[] = [];
  const places: Comment[] = [];
  visit(tree, 'element', (element, index, parent) => {
    const image = element.tagName === 'img' ? toImage(element) : undefined;
    const inPicture = parent?.type === 'element' && parent.tagName === 'picture';
    if (!image || inPicture || !parent || index === undefined) return;
    const place: Comment = { type: 'comment', value: '' };
    parent.children[index] = place;
    places.push(place);
    images.push(image);
  });

  const open = (mark: string): OpenHtml => {
    for (const [index, place] of places.entries()) place.value = `${mark}${index}`;
    return { html: toHtml(tree), images, mark };
  };
  const first = open(plainMark);
  const found = first.html.match(anyMark) ?? [];
  if (images.length === 0 || found.length === images.length) return first;
  // The article speaks of such marks itself: ours get more dashes than any of its own.
  const longest = found.reduce((most, { length }) => Math.max(most, length), 0);
  return open(plainMark + '-'.repeat(longest));
}

function toImage(element: Element): BodyImage | undefined {
  const { src, alt, title, width } = element.properties;
  if (typeof src !== 'string' || !/^https?:/i.test(src)) return undefined;
  const pixels = Number(width);
  return {
    url: src,
    html: toHtml(element),
    alt: typeof alt === 'string' ? alt : '',
    ...(typeof title === 'string' ? { title } : {}),
    ...(Number.isInteger(pixels) && pixels > 0 ? { width: pixels } : {}),
  };
}

/**
 * Puts the images back: those that `fileOf` knows as marks, for Astro to optimise; the others as they
 * stood in the article.
 */
export function placeImages(
  { html, images, mark }: OpenHtml,
  fileOf: FileOf,
): { html: string; paths: string[] } {
  const paths = new Set<string>();
  const place = (image: BodyImage, index: number) => {
    const path = fileOf(image.url);
    if (!path) return image.html;
    paths.add(path);
    const { alt, title, width } = image;
    return `<img ${astroMark}${escapeJson(JSON.stringify({ src: path, alt, title, width, index }))}">`;
  };
  // An article may speak of such marks; only ours are to be found.
  const text = images.length > 0 ? html.replaceAll(astroMark, '__ASTRO_IMAGE_=&quot;') : html;
  const comment = new RegExp(`<!--${mark}(\\d+)-->`, 'g');
  const placed = text.replace(comment, (whole, number: string) => {
    const image = images[Number(number)];
    return image ? place(image, Number(number)) : whole;
  });
  return { html: placed, paths: [...paths] };
}

/** Astro 6 decodes quotes only, so an ampersand is written as JSON can. */
function escapeJson(json: string): string {
  return json.replaceAll('&', '\\u0026').replaceAll('"', '&#x22;');
}

export function renderedContent(
  article: OpenHtml & { metadata: { headings: { depth: number; slug: string; text: string }[]; [key: string]: unknown } },
  fileOf: FileOf,
) {
  const { html, paths } = placeImages(article, fileOf);
  return { html, metadata: { ...article.metadata, imagePaths: paths, localImagePaths: paths, remoteImagePaths: [] } };
}
