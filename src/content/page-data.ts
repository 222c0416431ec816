import type { LoaderContext } from 'astro/loaders';
import { renderedContent } from '../render/body-images.ts';
import { renderingOf } from '../sync/version.ts';
import type { LoadedCollection } from './load.ts';
import { type BodyReader, siteAt } from './site-state.ts';

/**
 * Records what pages and the integration need of a load that is in Astro's store: texts and slugs. Closes the files of
 * loads that no page can need any more.
 */
export function recordPageData(
  { config, collection, watcher }: LoaderContext,
  loaded: LoadedCollection,
): void {
  const { options, mirror } = loaded.load;
  const site = siteAt(config.root);
  const readers = site.bodies.get(collection) ?? [];
  const reader = readerOf(loaded, () => {
    site.bodyReads += 1;
  });
  // A page of a dev server may have got its entries before this load.
  const [last, before] = watcher ? readers : [];
  const hasChanged = [...loaded.entries.values()].some(({ set }) => set !== undefined);
  const earlier = hasChanged ? last : before;
  const current = options.bodies === 'mirror' ? [reader, ...(earlier ? [earlier] : [])] : [];
  if (current.length > 0) site.bodies.set(collection, current);
  else site.bodies.delete(collection);
  for (const each of [...readers, reader]) if (!current.includes(each)) each.close();

  site.slugs.set(collection, {
    current: new Map([...loaded.entries].map(([id, { slug }]) => [id, slug])),
    hasOlder: options.newest !== undefined,
    isPreview: options.drafts === 'include',
    addresses: loaded.addresses,
    mirror,
  });
}

/** Returns the reader of a load's texts, for collections with `bodies: 'mirror'`. */
function readerOf(
  { load, entries: all, fileOf }: LoadedCollection,
  onRead: () => void,
): BodyReader {
  // Drops `set`, which Astro's store keeps already.
  const entries = new Map(
    [...all.values()].map(({ id, digest, version }) => [id, { digest, version }]),
  );
  return {
    async read({ id, digest }) {
      onRead();
      const entry = entries.get(id);
      // The entry may belong to a collection of the same name, of another site in this process.
      if (!entry || entry.digest !== digest) return undefined;
      const rendering = await renderingOf(entry.version, load);
      return { body: rendering.body, rendered: renderedContent(rendering, fileOf) };
    },
    close: () => load.mirror.close(),
  };
}
