import { quote } from '../errors.ts';
import { slugOf } from '../render/slug.ts';
import type { Notice } from '../shared/notice.ts';

/** An article that gets a slug. */
export interface SluggedArticle {
  id: string;
  title: string;
  /** The slug that the service gives it, if it can be a segment of a path; otherwise empty. */
  ownSlug: string;
  /** Whether its page was the last one with this slug. */
  hasPage: boolean;
}

/**
 * Assigns each article its slug, which no other article has: that of the service, or one derived from title and id. If
 * several articles would have one slug, the one that has its page already keeps it, or else the one that it is derived
 * from, or the first one.
 *
 * @param articles in the order of the listing
 * @param notices collects the slugs that several articles would have
 */
export async function assignSlugs(
  articles: readonly SluggedArticle[],
  notices: Notice[],
): Promise<Map<string, string>> {
  const slugs = new Map<string, string>();
  const owners = new Map<string, string>();
  const rankOf = ({ ownSlug, hasPage }: SluggedArticle) => (ownSlug ? (hasPage ? 0 : 2) : 1);
  const others: SluggedArticle[] = [];
  for (const article of articles.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const slug = article.ownSlug || (await slugOf(article));
    if (owners.has(pathKey(slug))) others.push(article);
    else give(article.id, slug);
  }
  for (const article of others) {
    const { id } = article;
    let slug = await slugOf(article);
    const wanted = article.ownSlug || slug;
    const owner = owners.get(pathKey(wanted)) ?? id;
    // Another article may have the derived slug as its own. An id with a blank at its end is in a slug as another hash.
    for (let end = ' '; owners.has(pathKey(slug)); end += ' ')
      slug = await slugOf({ ...article, id: id + end });
    give(id, slug);
    const text =
      `The articles ${quote(owner)} and ${quote(id)} both have the slug ${quote(wanted)}, so the page of ` +
      `${quote(id)} has the slug ${quote(slug)}. Give one of them another slug in the service.`;
    notices.push({ kind: 'other', ids: [owner, id], text });
  }
  return slugs;

  function give(id: string, slug: string): void {
    slugs.set(id, slug);
    owners.set(pathKey(slug), id);
  }
}

/** Returns a key that is equal for paths that some hosts and file systems do not distinguish. */
export function pathKey(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
