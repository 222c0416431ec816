import type { Notice } from '../errors.ts';
import { joinSome, quote } from '../messages.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { isExpiring } from '../shared/image-url.ts';
import type { Version } from './article-version.ts';

/** Warns of articles with signed URLs, which a page contains longer than they are valid. */
export function expiringUrls(
  versions: Iterable<Version>,
  { images }: Pick<ResolvedOptions, 'images'>,
): Notice[] {
  const inTexts: string[] = [];
  const ofCovers: string[] = [];
  for (const version of versions) {
    if ('leftOut' in version) continue;
    const { article, transformed } = version;
    if (article.renderings[0]?.hasExpiringUrls) inTexts.push(article.id);
    if (images.covers === 'remote' && isExpiring(transformed.cover ?? ''))
      ofCovers.push(article.id);
  }
  const local =
    'The service has to send URLs of these videos, files or pictures that do not expire.';
  const remote =
    "With `images: { body: 'local' }`, images are downloaded. URLs of videos and files must not expire.";
  return [
    ...noticeOf(inTexts, 'content', images.body === 'local' ? local : remote),
    ...noticeOf(
      ofCovers,
      'cover_image',
      "With `images: { covers: 'local' }`, covers are downloaded.",
    ),
  ];
}

function noticeOf(ids: string[], field: string, remedy: string): Notice[] {
  if (ids.length === 0) return [];
  const articles = `${ids.length === 1 ? 'article' : 'articles'} ${joinSome(ids.map(quote))}`;
  const place = field === 'content' ? 'Texts' : 'Covers';
  const text = `${place} have signed URLs, which expire after the build (${articles}). ${remedy}`;
  return [{ kind: 'other', ids, field, text }];
}
