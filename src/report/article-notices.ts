import type { Notice } from '../errors.ts';
import type { RenderedVersion, Version } from '../load/article-version.ts';
import { joinSome, quote } from '../messages.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { describeDropped } from './dropped-notice.ts';
import { describeExpiringUrls } from './expiry-notices.ts';

/**
 * A rendering that takes more seconds of processor time is reported. On a busy machine, a clock would report quick
 * renderings, too.
 */
const slowRendering = 2;
/** With the texts of 10,000 usual articles in Astro's store, a build takes 4 GB of memory. About 22,000 fail. */
const tooManyArticles = 10_000;

/**
 * Returns what the owner of a site should know of the articles that a load shows.
 *
 * @param isVerbose whether all that was dropped is named
 */
export function noticesOfArticles(
  versions: readonly Version[],
  options: Pick<ResolvedOptions, 'bodies' | 'images' | 'sanitize'>,
  { isVerbose = false } = {},
): Notice[] {
  const { bodies, sanitize } = options;
  const rendered = versions.flatMap((version) => ('leftOut' in version ? [] : version));
  const broken = versions.flatMap(frontMatterNotices);
  const slow = rendered.flatMap(slowNotices);
  const notices = [
    ...slow,
    ...broken,
    ...describeExpiringUrls(rendered, options),
    describeDropped(rendered, { sanitize, isVerbose }),
    formatNotice(rendered),
  ];
  if (bodies === 'store' && rendered.length >= tooManyArticles) {
    const text =
      `This collection has ${rendered.length} articles. With their texts in Astro's content store, a build takes ` +
      "more than 4 GB of memory. Set `bodies: 'mirror'`, and render entries with `<ArticleBody>`.";
    notices.push({ kind: 'other', ids: [], text });
  }
  return notices.filter((notice) => notice !== undefined);
}

/** Describes the front matter of an article that could not be read. */
function frontMatterNotices(version: Version): Notice[] {
  const { article } = version;
  const reason =
    'leftOut' in version ? version.brokenFrontMatter : article.renderings[0]?.brokenFrontMatter;
  if (!reason) return [];
  const text = `its front matter is not shown and has no fields, because of ${reason}. Correct it in the service`;
  return [{ kind: 'field', ids: [article.id], field: 'content', text }];
}

function slowNotices({ article: { id }, seconds = 0 }: RenderedVersion): Notice[] {
  if (seconds <= slowRendering) return [];
  const time = `Rendering article ${quote(id)} took ${seconds.toFixed(1)} s of processor time.`;
  const advice = 'Divide its longest paragraphs with blank lines, or divide the article.';
  return [{ kind: 'other', ids: [id], text: `${time} ${advice}` }];
}

/** Describes articles that look like HTML and were rendered as Markdown, if most do. */
function formatNotice(versions: readonly RenderedVersion[]): Notice | undefined {
  const ids = versions.flatMap(({ likeHtml, article }) => (likeHtml ? article.id : []));
  const rendered = versions.filter(({ text }) => text).length;
  if (ids.length === 0 || ids.length <= rendered / 2) return undefined;
  const text =
    `The content of articles looks like HTML (${joinSome(ids.map(quote))}), and is rendered as Markdown. ` +
    "Set `format: 'html'`.";
  return { kind: 'other', ids, text };
}
