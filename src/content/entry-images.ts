import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoaderContext } from 'astro/loaders';
import type { IndexedArticle, MirrorImage } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { FileOf } from '../render/body-images.ts';
import { resolveImage, unsigned } from '../shared/image-url.ts';

/**
 * Returns the folder for the `filePath` of entries, relative to the site's root, as if entries were Markdown
 * files. Other integrations read `filePath`, and Astro resolves the images of an entry relative to it.
 */
export function entryFolder({ config, collection }: LoaderContext): string {
  const source = relative(fileURLToPath(config.root), fileURLToPath(config.srcDir));
  return posix.join(source.split(sep).join('/'), 'content', collection);
}

/** Creates a function that returns the path of an image's file, relative to the files of the entries. */
export function createFileOf(
  images: ReadonlyMap<string, MirrorImage>,
  { context, mirror, folder }: { context: LoaderContext; mirror: Mirror; folder: string },
): FileOf {
  const base = join(fileURLToPath(context.config.root), folder);
  const imageFolder = relative(base, mirror.imageFolder).split(sep).join('/');
  return (url) => {
    const image = images.get(unsigned(url));
    return image && `${imageFolder}/${image.file}`;
  };
}

export function coverColorOf(
  { cover }: IndexedArticle,
  images: ReadonlyMap<string, MirrorImage>,
  { images: { covers } }: ResolvedOptions,
): string | null {
  const image = cover && covers === 'local' ? images.get(unsigned(cover)) : undefined;
  return image?.color ?? null;
}

/** Returns the cover of an entry for the schema's `image()`: a path relative to the entry's file, or a URL. */
export function coverOf(
  { cover }: IndexedArticle,
  { options, fileOf }: { options: ResolvedOptions; fileOf: FileOf },
): string | null {
  if (!cover) return null;
  if (options.images.covers === 'local') return fileOf(cover) ?? null;
  const resolved = resolveImage(cover, new URL(options.baseUrl));
  return 'url' in resolved ? resolved.url.href : null;
}
