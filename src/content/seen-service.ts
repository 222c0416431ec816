import type { LoaderContext } from 'astro/loaders';
import { isOwnEntry } from '../entry/digest.ts';
import type { LoadedCollection } from '../load/load-collection.ts';
import { renderingOf } from '../load/prepare-version.ts';
import type { SeenService } from '../report/service-facts.ts';
import { loaderSchema } from './schema.ts';

/** Returns what a load has seen of its service. Texts that it has not rendered are read from the mirror. */
export async function seenService(
  { store }: LoaderContext,
  { listing, versions, entries, load }: LoadedCollection,
): Promise<SeenService> {
  const fields = new Map<string, Record<string, unknown>>();
  for (const [id, version] of versions) {
    if ('leftOut' in version) continue;
    // A corrupt text is a problem of the article's entry.
    const text = version.text ?? (await renderingOf(version, load).catch(() => undefined));
    if (text) fields.set(id, text.extra);
  }
  const taken = new Set(Object.keys(loaderSchema.shape));
  for (const { id, set } of entries.values()) {
    for (const name of Object.keys(set?.data ?? store.get(id)?.data ?? {})) taken.add(name);
  }
  const articles = new Map([...versions].map(([id, { article }]) => [id, article]));
  const { options, mirror } = load;
  const { rows } = listing;
  const { readArticle } = mirror;
  const hasOtherEntries = store.values().some((entry) => !isOwnEntry(entry));
  return { options, rows, articles, fields, taken, hasOtherEntries, readArticle };
}
