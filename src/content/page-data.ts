import type { LoaderContext } from 'astro/loaders';
import type { MirrorIndex } from '../mirror/index-file.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { renderedContent } from '../render/body-images.ts';
import type { Load } from '../sync/pipeline.ts';
import type { EntrySet } from './entries.ts';
import { siteAt } from './site-state.ts';

/** Lets `withBody()` read the texts of a collection with `bodies: 'mirror'`. */
export function registerBodies(
  { config, collection }: LoaderContext,
  { load, entrySet, options }: { load: Load; entrySet: EntrySet; options: ResolvedOptions },
): void {
  const site = siteAt(config.root);
  const { bodies } = site;
  bodies.delete(collection);
  if (options.bodies === 'store') return;
  // Without `set`, which only Astro's store needs to keep in memory.
  const entries = new Map(
    entrySet.entries.map(({ id, digest, version }) => [id, { digest, version }]),
  );
  bodies.set(collection, async ({ id, digest }) => {
    site.bodyReads += 1;
    const entry = entries.get(id);
    // The entry may belong to a collection of the same name, of another site in this process.
    if (!entry || entry.digest !== digest) return undefined;
    const rendering = await load.preparer.renderingOf(entry.version);
    return { body: rendering.body, rendered: renderedContent(rendering, entrySet.fileOf) };
  });
}

/** Records the current slug and the former slugs of each article, for redirects. */
export function recordSlugs(
  { config, collection }: LoaderContext,
  { entrySet, index }: { entrySet: EntrySet; index: MirrorIndex },
): void {
  const articles = entrySet.entries.map(({ slug, version: { article } }) => {
    const known = index.slugHistory.get(article.id) ?? [];
    return { slug, former: known.filter((other) => other !== slug) };
  });
  siteAt(config.root).slugs.set(collection, { articles, history: index.slugHistory });
}
