import type { HookParameters } from 'astro';
import { siteAt } from '../content/site-state.ts';
import { ArticlesError, printable, quote } from '../errors.ts';
import { idOf } from '../render/slug.ts';

/** The output of a build. */
export interface Output
  extends Pick<HookParameters<'astro:build:done'>, 'dir' | 'pages' | 'logger'> {
  /** Whether the site renders a page with a parameter on demand, so that each article may have one. */
  hasServer: boolean;
}

/**
 * Checks that pages on demand can find each article by its URL when newer ones have taken its
 * place in `newest`: by its slug, or by a segment of the path that is its id.
 *
 * @throws {ArticlesError} `id-unreadable`
 */
export function checkSlugs(root: URL, { pages }: Pick<Output, 'pages'>): void {
  const unreadable = new Map<string, string>();
  for (const { current, hasOlder } of siteAt(root).slugs.values()) {
    if (!hasOlder) continue;
    for (const [id, slug] of current) if (idOf(slug) !== id) unreadable.set(slug, id);
  }
  for (const { pathname } of pages) {
    const segments = pathname.split('/');
    const slug = segments.find((segment) => unreadable.has(segment)) ?? '';
    const id = unreadable.get(slug);
    if (id === undefined || segments.includes(id)) continue;
    throw new ArticlesError(
      'id-unreadable',
      `The page /${printable(pathname)} shows the article ${quote(id)}, whose id cannot be read from the slug ${quote(slug)}.`,
      {
        hint:
          'With `newest`, a page of an older article is rendered on demand, and has to find the article by its path. ' +
          'Use the id as another segment, for example src/pages/articles/[id]/[slug].astro, or remove `slug` in `transform`.',
      },
    );
  }
}

/** Warns if the pages of the `newest` articles disappear when newer ones are published. */
export function checkOnDemand(root: URL, { pages, hasServer, logger }: Output): void {
  if (hasServer) return;
  const segments = new Set(pages.flatMap(({ pathname }) => pathname.split('/')));
  const windows = [...siteAt(root).slugs].flatMap(([name, { current, hasOlder }]) =>
    hasOlder && [...current.values()].some((slug) => segments.has(slug)) ? `"${name}"` : [],
  );
  if (windows.length === 0) return;
  logger.warn(
    `With \`newest\`, only the newest articles of ${windows.join(', ')} are built, and this site renders no page with a ` +
      'parameter on demand. When newer articles are published, the pages of the oldest ones disappear. Add an adapter ' +
      'and a page on demand: see node_modules/astro-articles/docs/guides/beyond-one-machine.md.',
  );
}
