import { ArticlesInvalidError, articleNotice } from '../errors.ts';
import { quote } from '../messages.ts';
import type { IndexedArticle } from '../mirror/formats.ts';
import { lastOwners, type PathHistory } from '../redirects/history.ts';
import type { Finding } from '../shared/finding.ts';
import { ownSlug, pathKey, slugOf } from '../shared/slug.ts';
import type { RenderedVersion } from './article-version.ts';

/** The slugs of articles. No two articles have the same slug. */
export class SlugOwners {
  /** By id, the slug that an article has before the collection's schema. */
  readonly #slugs = new Map<string, string>();
  /** By `pathKey()` of a slug, the id of its article. */
  readonly #owners = new Map<string, string>();

  give(id: string, slug: string): void {
    this.#slugs.set(id, slug);
    this.#owners.set(pathKey(slug), id);
  }

  slugOf(id: string): string {
    return this.#slugs.get(id) ?? '';
  }

  ownerOf(slug: string): string | undefined {
    return this.#owners.get(pathKey(slug));
  }

  /** Returns the slug of another version of an article: its own, if it is free, or a derived one. */
  async slugOfEarlier({ id, title, givenSlug }: IndexedArticle): Promise<string> {
    const own = ownSlug({ slug: givenSlug });
    const isFree = own !== undefined && [id, undefined].includes(this.ownerOf(own));
    return isFree ? own : this.freeSlugOf({ id, title });
  }

  /** Returns the slug that is derived from title and id, or another slug if another article has this one as its own. */
  async freeSlugOf({ id, title }: { id: string; title: string }): Promise<string> {
    // A longer id has another hash, so the slug differs.
    for (let end = ''; ; end += ' ') {
      const slug = await slugOf({ id: id + end, title });
      if ([id, undefined].includes(this.ownerOf(slug))) return slug;
    }
  }

  /**
   * Gives an article the slug that the collection's schema has made of its own.
   *
   * @returns the slug
   * @throws {ArticlesInvalidError} when another article has it, so that one page would be lost
   */
  take(id: string, slug: string): string {
    const owner = this.ownerOf(slug) ?? id;
    this.#owners.set(pathKey(slug), owner);
    if (owner === id) return slug;
    const reason = `the article ${quote(owner)} has the slug ${quote(slug)}, too, after the collection's schema`;
    throw new ArticlesInvalidError([articleNotice(id, reason, 'slug')]);
  }
}

/**
 * Assigns each article its slug: the slug of the service, or a slug derived from title and id. If several articles would
 * have one slug, the article that has its page already keeps it, or else the article that it is derived from, or the
 * first article.
 *
 * @param versions in the order of the listing
 * @param paths the history, without articles that are gone
 * @returns `notices`: the slugs that several articles would have, or that cannot be those of pages
 */
export async function assignSlugs(versions: readonly RenderedVersion[], paths: PathHistory) {
  const owners = new SlugOwners();
  const notices: Finding[] = [];
  const lastOwner = lastOwners(paths);
  const articles = await Promise.all(
    versions.map(async ({ article: { id }, transformed: { title, givenSlug } }) => {
      const own = ownSlug({ slug: givenSlug });
      const hasPage = own !== undefined && lastOwner.get(pathKey(own)) === id;
      return { id, title, own, hasPage, givenSlug, wanted: own ?? (await slugOf({ id, title })) };
    }),
  );
  const others: typeof articles = [];
  for (const article of [
    // The article that has its page is the first of those that want one slug.
    ...articles.filter(({ hasPage }) => hasPage),
    ...articles.filter(({ own }) => own === undefined),
    ...articles.filter(({ own, hasPage }) => own !== undefined && !hasPage),
  ]) {
    if (owners.ownerOf(article.wanted) === undefined) owners.give(article.id, article.wanted);
    else others.push(article);
  }
  for (const { id, title, wanted } of others) {
    const owner = owners.ownerOf(wanted) ?? id;
    const slug = await owners.freeSlugOf({ id, title });
    owners.give(id, slug);
    notices.push({ code: 'slug-taken', ids: [owner, id], data: { wanted, slug } });
  }
  const unusable = articles.filter(({ own, givenSlug }) => givenSlug && own === undefined);
  const [first] = unusable;
  if (first?.givenSlug) {
    const data = { wanted: first.givenSlug, slug: owners.slugOf(first.id) };
    notices.push({ code: 'slug-unusable', ids: unusable.map(({ id }) => id), data });
  }
  return { owners, notices };
}
