import type { Notice } from '../errors.ts';
import type { RenderedVersion } from '../load/article-version.ts';
import { joinSome, quote } from '../messages.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { isExpiring } from '../shared/image-url.ts';

/** Warns of articles with signed URLs, which a page contains longer than they are valid. */
export function describeExpiringUrls(
  versions: readonly RenderedVersion[],
  { images }: Pick<ResolvedOptions, 'images'>,
): Notice[] {
  const withTexts = versions.filter(({ article }) => article.renderings[0]?.hasExpiringUrls);
  const withCovers = versions.filter(
    ({ transformed }) => images.covers === 'remote' && isExpiring(transformed.cover ?? ''),
  );
  return [
    ...expiryNotice(
      withTexts,
      'Texts',
      "With `images: { body: 'local' }`, images are downloaded. URLs of videos and files must not expire.",
    ),
    ...expiryNotice(
      withCovers,
      'Covers',
      "With `images: { covers: 'local' }`, covers are downloaded.",
    ),
  ];
}

function expiryNotice(
  versions: readonly RenderedVersion[],
  place: string,
  remedy: string,
): Notice[] {
  if (versions.length === 0) return [];
  const ids = versions.map(({ article }) => article.id);
  const articles = `${ids.length === 1 ? 'article' : 'articles'} ${joinSome(ids.map(quote))}`;
  const text = `${place} have signed URLs, which expire after the build (${articles}). ${remedy}`;
  return [{ kind: 'other', ids, text }];
}
