import { markedImage } from './image-marks.ts';
import { type Element, outerHtml } from './parse-html.ts';

/** An image in the body of an article, extracted from its HTML. */
export interface BodyImage {
  url: string;
  /** The element, for an image that is not downloaded. */
  html: string;
  /** The attributes that Astro's image service needs in addition to the file. */
  attributes: {
    alt: string;
    title?: string | undefined;
    class?: string | undefined;
    width?: number | undefined;
  };
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

/** Returns the image of an `<img>` whose URL has the scheme http or https. */
export function bodyImageOf(element: Element): BodyImage | undefined {
  const attributes = Object.fromEntries(element.attrs.map(({ name, value }) => [name, value]));
  const { src: url = '', alt = '', title, class: names, width = '' } = attributes;
  if (!/^https?:/i.test(url)) return undefined;
  return {
    url,
    html: outerHtml(element),
    attributes: {
      alt,
      title: title || undefined,
      class: names || undefined,
      width: /^[1-9]\d{0,4}$/.test(width) ? Number(width) : undefined,
    },
  };
}
