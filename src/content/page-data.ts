import type { LoaderContext } from 'astro/loaders';
import type { LoadedCollection } from '../load/load-collection.ts';
import { renderingOf } from '../load/prepare-version.ts';
import { renderedContent } from '../render/body-images.ts';
import type { BodyReader, SiteState } from './site-state.ts';

/**
 * Records what pages and the integration need of a load that is in Astro's store: texts and slugs. Closes the files of
 * loads that no page can need any more.
 */
export function recordPageData(
  { collection }: LoaderContext,
  { load, entries: all, fileOf, gone }: LoadedCollection,
  site: SiteState,
): void {
  const { options, mirror, paths } = load;
  // Drops `set`, which Astro's store keeps already.
  const entries = new Map(
    Array.from(all.values(), ({ id, digest, version }) => [id, { digest, version }]),
  );
  const reader: BodyReader = {
    async read({ id, digest }) {
      const entry = entries.get(id);
      // The entry may belong to a collection of the same name, of another site in this process.
      if (!entry || entry.digest !== digest) return undefined;
      const rendering = await renderingOf(entry.version, load);
      return { body: rendering.body, rendered: renderedContent(rendering, fileOf) };
    },
    close: mirror.close,
  };
  // A page of a dev server may have got its entries before this load.
  const readers = [reader, ...(site.bodies.get(collection) ?? [])];
  for (const { close } of readers.splice(options.bodies === 'mirror' ? 2 : 0)) close();
  site.bodies.set(collection, readers);

  site.slugs.set(collection, {
    current: new Map([...all].map(([id, { slug }]) => [id, slug])),
    gone: new Set(gone),
    isNewestOnly: options.newest !== undefined,
    isPreview: options.drafts === 'include',
    paths,
    mirror,
  });
}
