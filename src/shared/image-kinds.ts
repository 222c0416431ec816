/** The kinds of images that can be covers, by the extension of their files. */
export const imageKinds = ['avif', 'webp', 'png', 'jpg', 'gif'] as const;

export type ImageKind = (typeof imageKinds)[number];

/** Returns the media type of an image, by the extension of its file. */
export function imageType(extension: string): string {
  const subtype = { jpg: 'jpeg', svg: 'svg+xml' }[extension] ?? extension;
  return `image/${subtype}`;
}
