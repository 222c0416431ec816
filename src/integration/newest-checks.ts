import type { AstroConfig, AstroIntegrationLogger } from 'astro';
import { siteAt } from '../content/site-state.ts';
import { withOptionPages } from '../documentation.ts';
import { ArticlesError, printable, quote } from '../errors.ts';
import { idOf } from '../render/slug.ts';

/**
 * Checks that pages on demand can find each article by its URL when newer ones have taken its
 * place in `newest`: by its slug, or by a segment of the path that is its id.
 *
 * @throws {ArticlesError} `id-unreadable`
 */
export function checkSlugs(
  { root }: Pick<AstroConfig, 'root'>,
  pages: readonly { pathname: string }[],
): void {
  const unreadable = new Map<string, string>();
  for (const { current, mayExist } of siteAt(root).slugs.values()) {
    if (!mayExist) continue;
    for (const [id, slug] of current) if (idOf(slug) !== id) unreadable.set(slug, id);
  }
  const found = pages.flatMap(({ pathname: path }) => {
    const segments = path.split('/');
    const slug = segments.find((segment) => unreadable.has(segment)) ?? '';
    const id = unreadable.get(slug);
    return id === undefined || segments.includes(id) ? [] : { id, slug, path };
  });
  const [first] = found;
  if (!first) return;
  const { id, slug, path } = first;
  const count = new Set(found.map((article) => article.id)).size;
  const all = count > 1 ? ` The same is true of ${count} articles.` : '';
  throw new ArticlesError(
    'id-unreadable',
    `The page /${printable(path)} shows the article ${quote(id)}, whose id cannot be read from the slug ${quote(slug)}.${all}`,
    {
      hint:
        'With `newest`, a page of an older article is rendered on demand, and has to find the article by its path. Use ' +
        'the id as another segment, for example src/pages/articles/[id]/[slug].astro.',
    },
  );
}

/** Warns when a site without pages on demand has pages of the `newest` articles, because they disappear later. */
export function checkOnDemand(
  { root }: Pick<AstroConfig, 'root'>,
  { pages, logger }: { pages: readonly { pathname: string }[]; logger: AstroIntegrationLogger },
): void {
  const segments = new Set(pages.flatMap(({ pathname }) => pathname.split('/')));
  const windows = [...siteAt(root).slugs].flatMap(([name, { current, mayExist }]) =>
    mayExist && [...current.values()].some((slug) => segments.has(slug)) ? `"${name}"` : [],
  );
  if (windows.length === 0) return;
  const text =
    `With \`newest\`, only the newest articles of ${windows.join(', ')} are built, and this site renders no page on ` +
    'demand. When newer articles are published, the pages of the oldest ones disappear. Add an adapter and a page on ' +
    'demand: see node_modules/astro-articles/docs/guides/beyond-one-machine.md.';
  logger.warn(withOptionPages(text));
}
