import { defaultTreeAdapter } from 'parse5';
import { wordSet } from '../html/kept-names.ts';
import {
  attributeOf,
  type Element,
  isElement,
  type Node,
  outerHtml,
  type Parent,
  replaceNodes,
} from '../html/parse-html.ts';
import { escapeHtmlMarks, markedImage } from '../shared/image-marks.ts';

/** An image in the body of an article, extracted from its HTML. */
export interface BodyImage {
  url: string;
  /** The element, for an image that is not downloaded. */
  html: string;
  /** Its other attributes, and its size in pixels, as Astro's image service takes them. */
  attributes: { [name: string]: string | number | undefined };
}

/** Returns the path of an image's file, relative to that of the entry, if it has one. */
export type FileOf = (url: string) => string | undefined;

/** Returns an entry's `rendered`: images with a local file become Astro's marks, others keep their HTML. */
export function renderedContent<M extends object>(
  { html, images, metadata }: { html: string[]; images: BodyImage[]; metadata: M },
  fileOf: FileOf,
) {
  const paths = new Set<string>();
  const imageHtml = (image: BodyImage, index: number) => {
    const path = fileOf(image.url);
    if (path === undefined) return image.html;
    paths.add(path);
    return markedImage({ src: path, ...image.attributes, index });
  };
  const parts = html.map((part, index) => {
    const image = images[index];
    return image ? part + imageHtml(image, index) : part;
  });
  const imagePaths = [...paths];
  return {
    html: parts.join(''),
    metadata: { ...metadata, imagePaths, localImagePaths: imagePaths, remoteImagePaths: [] },
  };
}

/**
 * Takes the images with the URL of a file on the web out of a tree, except SVGs and those of a `<picture>`, and puts a comment in
 * the place of each. Changes the tree.
 *
 * @param mark the text of the comments
 */
export function takeImages(tree: Parent, mark: string): BodyImage[] {
  const images: BodyImage[] = [];
  replaceNodes(tree, (node, parent) => {
    if (parent.nodeName === 'picture' || !isBodyImage(node)) return [node];
    images.push(bodyImageOf(node));
    return [defaultTreeAdapter.createCommentNode(mark)];
  });
  return images;
}

function isBodyImage(node: Node): node is Element {
  if (!isElement(node) || node.tagName !== 'img') return false;
  // Astro would not make an SVG smaller, and it may contain script.
  return /^https?:(?![^?#]*\.svg(?:[?#]|$))/i.test(attributeOf(node, 'src') ?? '');
}

/** Attributes that Astro writes itself, and names of its properties, which are not attributes of HTML. */
const replaced = wordSet(
  'src srcset sizes width height style',
  'format quality densities widths formats layout priority fit position background index',
);

/** Returns an image of the body. An image with a local file has all attributes of the one of the service. */
function bodyImageOf(element: Element): BodyImage {
  const others = element.attrs.filter(({ name }) => !replaced.has(name));
  return {
    url: attributeOf(element, 'src') ?? '',
    html: escapeHtmlMarks(outerHtml(element)),
    attributes: {
      alt: '',
      ...Object.fromEntries(others.map(({ name, value }) => [name, value])),
      ...shownSize(element),
    },
  };
}

/**
 * Returns the size that an image has: in pixels, which Astro's image service needs, or as a style. A share of the width of
 * the text becomes a style, too, because Astro writes the pixels of the file.
 */
function shownSize(element: Element): BodyImage['attributes'] {
  const [width, height] = ['width', 'height'].map((name) => lengthOf(attributeOf(element, name)));
  const style = attributeOf(element, 'style');
  if (width?.isShare || height?.isShare) {
    const size = `width: ${width?.css ?? 'auto'}; height: ${height?.css ?? 'auto'}`;
    return { style: style ? `${size}; ${style}` : size };
  }
  return { width: width?.pixels, height: height?.pixels, style };
}

/** Reads a length as browsers do: `200`, `200px` or `50%`. Returns undefined for none that Astro can draw. */
function lengthOf(text = '') {
  const [, number, sign] = /^\s*(\d{1,5}(?:\.\d+)?)(?!\d)(%)?/.exec(text) ?? [];
  const pixels = Math.round(Number(number));
  if (!number || pixels < 1) return undefined;
  return { pixels, isShare: sign !== undefined, css: sign ? `${number}%` : `${pixels}px` };
}
