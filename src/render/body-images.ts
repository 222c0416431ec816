import { type Element, outerHtml } from './parse-html.ts';

/** An image in the body of an article, extracted from its HTML. */
export interface BodyImage {
  url: string;
  /** The element, for an image that is not downloaded. */
  html: string;
  /** The attributes that Astro's image service needs in addition to the file. */
  attributes: { alt: string; title?: string; class?: string; width?: number };
}

/** Returns the path of an image's file, relative to that of the entry, if it has one. */
export type FileOf = (url: string) => string | undefined;

interface SplitContent<M> {
  /** HTML with gaps: image i is between part i and part i + 1. */
  html: readonly string[];
  images: readonly BodyImage[];
  metadata: M;
}

/** Returns an entry's `rendered`: images with a local file become Astro's marks, others keep their HTML. */
export function renderedContent<M extends object>(
  { html, images, metadata }: SplitContent<M>,
  fileOf: FileOf,
) {
  const paths = new Set<string>();
  const imageHtml = (image: BodyImage, index: number) => {
    const path = fileOf(image.url);
    if (path === undefined) return image.html;
    paths.add(path);
    return `<img __ASTRO_IMAGE_="${escapeJson({ src: path, ...image.attributes, index })}">`;
  };
  const parts = html.flatMap((part, index) => {
    const image = images[index - 1];
    return image ? [imageHtml(image, index - 1), part] : [part];
  });
  const imagePaths = [...paths];
  return {
    html: parts.join(''),
    metadata: { ...metadata, imagePaths, localImagePaths: imagePaths, remoteImagePaths: [] },
  };
}

/** Astro 6 decodes only the quotes, so ampersands are escaped within the JSON. */
function escapeJson(value: object): string {
  return JSON.stringify(value).replaceAll('&', '\\u0026').replaceAll('"', '&#x22;');
}

/** Returns the image of an `<img>` whose URL has the scheme http or https. */
export function bodyImageOf(element: Element): BodyImage | undefined {
  const attributes = new Map(element.attrs.map(({ name, value }) => [name, value]));
  const url = attributes.get('src') ?? '';
  if (!/^https?:/i.test(url)) return undefined;
  const [title, names, width] = [
    attributes.get('title'),
    attributes.get('class'),
    attributes.get('width'),
  ];
  const pixels = /^\d{1,5}$/.test(width ?? '') ? Number(width) : 0;
  return {
    url,
    html: outerHtml(element),
    attributes: {
      alt: attributes.get('alt') ?? '',
      ...(title ? { title } : {}),
      ...(names ? { class: names } : {}),
      ...(pixels > 0 ? { width: pixels } : {}),
    },
  };
}

const markName = 'image';

/** Returns the text of a comment that a document does not contain, to put in the place of its images. */
export function unusedMark(html: string): string {
  const used = html.match(/image_*/g) ?? [];
  const longest = used.reduce((most, { length }) => Math.max(most, length), 0);
  return markName.padEnd(longest + 1, '_');
}

/** Splits HTML where its images were. */
export function splitAtImages(html: string, mark: string): string[] {
  return html.split(`<!--${mark}-->`);
}
