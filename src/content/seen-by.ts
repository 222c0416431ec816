import type { LoaderContext } from 'astro/loaders';
import { isOwnEntry } from '../entry/digest.ts';
import type { LoadedCollection } from '../load/load-collection.ts';
import { renderingOf } from '../load/prepare-version.ts';
import type { Seen, SeenService } from '../report/facts.ts';
import { loaderSchema } from './schema.ts';

/**
 * Returns what a load has seen. A first load, and one with ARTICLES_DEBUG, has also seen what advice depends on, unless no
 * request was made.
 */
export async function seenBy(
  context: LoaderContext,
  loaded: LoadedCollection,
  { isQuiet }: { isQuiet: boolean },
): Promise<Seen> {
  const { listing, versions, load } = loaded;
  const { client, before, options } = load;
  const isVerbose = Boolean(process.env.ARTICLES_DEBUG);
  const isAdvised = client && (before.size === 0 || (isVerbose && !isQuiet));
  return {
    ...{ options, versions, isVerbose },
    rows: client ? listing.rows : [],
    service: isAdvised ? await readService(context, loaded) : undefined,
  };
}

/** Returns what advice depends on. Texts that the load has not rendered are read from the mirror. */
async function readService(
  { store }: LoaderContext,
  { versions, entries, load }: LoadedCollection,
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
  const hasOtherEntries = store.values().some((entry) => !isOwnEntry(entry));
  return { fields, taken, hasOtherEntries };
}
