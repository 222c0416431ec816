import { posix } from 'node:path';
import { isMadeFrom } from '../entry/digest.ts';
import type { PathHistory } from '../redirects/history.ts';
import { hash } from '../shared/hash.ts';
import { resolveImage, unsigned } from '../shared/image-url.ts';
import { packageVersion } from '../shared/version.ts';
import type { RenderedVersion, Version } from './article-version.ts';
import type { StoredEntry } from './astro-collection.ts';
import type { Images } from './images.ts';
import type { Load } from './load.ts';
import { assignSlugs } from './slugs.ts';

/** The inputs of an entry, except its text. */
export interface EntrySource {
  version: RenderedVersion;
  /** The id of the entry. */
  id: string;
  slug: string;
  position: number;
  filePath: string;
  /** `file`: a path relative to the file of the entry, or a URL. */
  cover: { file: string | null; color: string | null };
  /** The files of the images in its text; undefined for an image without a file. */
  bodyFiles: readonly (string | undefined)[];
  /** The hash of all of this except the position, and of the rendering. */
  inputsHash: string;
}

/** The entries of a load before their texts are read. */
export type EntryPlan = Awaited<ReturnType<typeof planEntries>>;

/**
 * Gives the articles their slugs and positions.
 *
 * @param ids the ids of the articles that the site has, in its order
 * @param inputs `images`: the images that Astro may decode; `older`: the number of older articles that are not loaded;
 *   `paths`: the history without articles that are gone
 * @returns `sources`: in the order of the site
 */
export async function planEntries(
  ids: readonly string[],
  versions: ReadonlyMap<string, Version>,
  { images, older, paths }: { images: Images; older: number; paths: PathHistory },
  { options, astro }: Pick<Load, 'options' | 'astro'>,
) {
  const shown = ids.flatMap((id, index) => {
    const version = versions.get(id);
    if (!version || 'leftOut' in version) return [];
    const rank = options.order === 'newest-first' ? ids.length - index : index + 1;
    return { version, position: older + rank };
  });
  const all = shown.map(({ version }) => version);
  const { owners, notices } = await assignSlugs(all, paths);
  const sources = shown.map(({ version, position }) =>
    sourceOf(version, position, owners.slugOf(version.article.id)),
  );
  return { sources, owners, fileOf, sourceOf, notices };

  /** Returns the path of the file of an image in a text. */
  function fileOf(url: string): string | undefined {
    const image = images.get(unsigned(url));
    return image && `${astro.imageFolder}/${image.file}`;
  }

  function sourceOf(version: RenderedVersion, position: number, slug: string): EntrySource {
    const { article, transformed } = version;
    const [facts] = article.renderings;
    const id = options.entryId === 'slug' ? slug : article.id;
    const filePath = posix.join(astro.folder, `${slug}.md`);
    const contentHash = facts?.name.split('-')[1];
    const cover = coverOf(transformed.cover);
    const bodyFiles = (facts?.images ?? []).map(fileOf);
    const parts = [packageVersion, options.bodies, filePath, contentHash, cover, bodyFiles];
    const inputsHash = hash(JSON.stringify(parts));
    return { version, id, slug, position, filePath, cover, bodyFiles, inputsHash };
  }

  /** Returns the cover for the schema's `image()`. */
  function coverOf(url: string | null): EntrySource['cover'] {
    if (!url) return { file: null, color: null };
    if (options.images.covers === 'local') {
      return { file: fileOf(url) ?? null, color: images.get(unsigned(url))?.color ?? null };
    }
    const resolved = resolveImage(url, new URL(options.baseUrl));
    return { file: typeof resolved === 'string' ? null : resolved.href, color: null };
  }
}

/** Returns the entry in Astro's store that was made from this source, and parsed with the same schema. */
export function storedEntry(
  { id, inputsHash, position }: EntrySource,
  { astro }: Pick<Load, 'astro'>,
): StoredEntry | undefined {
  const stored = astro.isSameSchema ? astro.stored(id) : undefined;
  return stored && isMadeFrom(stored, inputsHash, position) ? stored : undefined;
}
