import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoaderContext } from 'astro/loaders';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { FileOf } from '../render/body-images.ts';
import { printableUrl, resolveImage, unsigned } from '../shared/image-url.ts';
import type { Load } from '../sync/pipeline.ts';

/** Returns the images whose files are intact. With a missing file, Astro's build would fail. */
export async function usableImages(
  { images, versions }: Load,
  { hasImage }: Mirror,
): Promise<{ files: Map<string, string>; missing: string[] }> {
  const files = new Map<string, string>();
  const absent = new Set<string>();
  for (const [url, image] of images) {
    if (await hasImage(image)) files.set(url, image.file);
    else absent.add(url);
  }
  const shown = versions.flatMap((version) => version.shown ?? []);
  const used = shown.flatMap(({ cover, bodyImages }) => [cover ?? '', ...(bodyImages?.urls ?? [])]);
  const missing = used.map(unsigned).filter((url) => absent.has(url));
  return { files, missing: [...new Set(missing)].map(printableUrl) };
}

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
  files: ReadonlyMap<string, string>,
  { context, mirror, folder }: { context: LoaderContext; mirror: Mirror; folder: string },
): FileOf {
  const base = join(fileURLToPath(context.config.root), folder);
  const images = relative(base, mirror.imageFolder).split(sep).join('/');
  return (url) => {
    const file = files.get(unsigned(url));
    return file && `${images}/${file}`;
  };
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
