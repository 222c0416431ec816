import type { Traffic } from '../client/client.ts';
import type { Doubt } from '../client/listing/walk-record.ts';
import { type ArticleProblem, describeProblem, printable, quote } from '../errors.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Warning } from '../shared/logger.ts';
import { isShown } from '../sync/indexed-article.ts';
import type { UsedImageProblem } from '../sync/needed-images.ts';
import type { LoadedArticles } from '../sync/pipeline.ts';

/** The result of loading a collection. The terminal, GitHub annotations and the dev toolbar show it. */
export interface LoadReport {
  collection: string;
  /**
   * - `synced`: the collection is what the service has now.
   * - `kept`: it is what the mirror had, because no request was made or none succeeded.
   * - `nothing`: there is neither a usable response nor a mirror.
   */
  status: 'synced' | 'kept' | 'nothing' | 'failed';
  /** Why the load failed, or why the service was unavailable. */
  error?: string | undefined;
  /** When the load ended, in ms since 1970. */
  at: number;
  /** In ms. */
  duration: number;
  warnings: Warning[];
  changes?: Changes;
  traffic?: Traffic | undefined;
}

/** The numbers of articles that are new, changed, unchanged and removed, and of entries. */
export interface Changes {
  added: number;
  updated: number;
  unchanged: number;
  removed: number;
  /** Articles that are older than the `newest` ones, and no longer loaded. */
  left?: number;
  entries: number;
  /** Drafts that are left out, and counted nowhere else. */
  drafts: number;
  /** Other articles that are left out, because of `transform` or the collection's schema. */
  leftOut: number;
}

/** Whether a report says something that the one before it did not say. */
export function hasNews(
  { status, warnings, changes }: LoadReport,
  last: LoadReport | undefined,
): boolean {
  const { added = 0, updated = 0, removed = 0 } = changes ?? {};
  if (added + updated + removed > 0 || status !== last?.status) return true;
  // The warning about an outage contains the age of the mirror.
  const texts = (list: readonly Warning[]) =>
    list.flatMap(({ kind, text }) => (kind === 'outage' ? [] : text)).join('\n');
  return texts(warnings) !== texts(last.warnings);
}

/** Compares the articles that a load wants to commit with those before it. Drafts count only if they are shown. */
export function countChanges(
  loaded: Pick<LoadedArticles, 'versions' | 'before' | 'left'>,
  { shown, ...options }: { shown: ReadonlySet<string>; drafts: 'skip' | 'include' },
): Changes {
  const all = loaded.versions.map(({ article }) => article);
  // `transform` can make an article of a draft.
  const articles = all.filter((article) => shown.has(article.id) || isShown(article, options));
  const earlier = [...loaded.before.values()].filter(
    (article) => !article.hidden || isShown(article, options),
  );
  const before = new Map(earlier.map(({ id, digest }) => [id, digest]));
  const added = articles.filter(({ id }) => !before.has(id)).length;
  const left = earlier.filter(({ id }) => loaded.left.has(id)).length;
  const unchanged = articles.filter(({ id, digest }) => before.get(id) === digest).length;
  return {
    added,
    unchanged,
    updated: articles.length - added - unchanged,
    removed: before.size - left - (articles.length - added),
    ...(left > 0 ? { left } : {}),
    entries: shown.size,
    drafts: all.length - articles.length,
    leftOut: articles.filter(({ id }) => !shown.has(id)).length,
  };
}

/**
 * Describes everything in a load that the owner of the site may want to fix.
 *
 * @param problems those of entries
 */
export function warningsOf(
  loaded: Pick<
    LoadedArticles,
    'problems' | 'notes' | 'imageProblems' | 'unproven' | 'doubt' | 'versions'
  >,
  problems: readonly ArticleProblem[] = [],
): Warning[] {
  const { unproven, doubt } = loaded;
  const warnings: Warning[] = [];
  const warn = (kind: Warning['kind'], text: string, articles?: readonly string[]) =>
    warnings.push({ kind, text: printable(text), ...(articles && { articles }) });
  if (doubt) warn('listing', describeDoubt(doubt));
  if (unproven) {
    warn('listing', `No articles were removed, because the listing is unreliable: ${unproven}.`);
  }
  for (const problem of [...loaded.problems, ...problems]) {
    const text = `${describeProblem(problem)}. The last good version is used, if there is one.`;
    warn('articles', text, [problem.id]);
  }
  // A row and its article may have the same note.
  const notes = new Map(loaded.notes.map((note) => [`${describeProblem(note)}.`, note.id]));
  for (const [text, id] of notes) warn('articles', text, [id]);
  const dropped = loaded.versions.flatMap(({ article, shown }) =>
    shown && article.rendering?.dropped.length ? [article] : [],
  );
  if (dropped.length > 0) {
    const ids = dropped.map(({ id }) => id);
    warn('articles', describeDropped(dropped), ids);
  }
  for (const problem of loaded.imageProblems) {
    warn('images', describeImage(problem), problem.articles);
  }
  return warnings;
}

/** Describes which articles a listing may lack: `8 announced, 7 listed`. */
function describeDoubt({ reason, announced, listed, repeated }: Doubt): string {
  const missing = announced === undefined ? 0 : announced - listed;
  const many = missing > 1 ? `${missing} articles` : 'one article';
  const counts =
    missing > 0
      ? `${announced} announced, ${listed} listed; ${many} may be missing`
      : 'articles may be missing';
  const ids = repeated.length > 0 ? ` (${joinSome(repeated.map(quote), maxIds)})` : '';
  return (
    `The listing is unreliable, because ${reason}${ids}: ${counts}. ` +
    'The service should list its articles in an order that never changes, such as by id.'
  );
}

function describeImage({ url, reason, kept, articles, isCover }: UsedImageProblem): string {
  const users = `${articles.length === 1 ? 'article' : 'articles'} ${joinSome(articles, maxIds)}`;
  const effect = isCover ? 'No cover is shown.' : 'The remote image is used.';
  const result = kept ? 'The last good file is used.' : effect;
  return `${isCover ? 'Cover' : 'Image'} ${url} of ${users}: ${reason}. ${result}`;
}

const maxIds = 5;
const maxNames = 20;

/** Joins the first names of a list, which may be as long as the collection. */
function joinSome(names: readonly string[], max: number): string {
  const more = names.length > max ? ` and ${names.length - max} more` : '';
  return names.slice(0, max).join(', ') + more;
}

/** Describes in one line the HTML that was dropped from articles, and the option that keeps it. */
function describeDropped(articles: readonly IndexedArticle[]): string {
  const parts = [...new Set(articles.flatMap(({ rendering }) => rendering?.dropped ?? []))].sort();
  const frames = parts.filter((part) => part.startsWith('iframe '));
  const hosts = frames.map((frame) => `'${frame.slice('iframe '.length)}'`);
  const noun = articles.length === 1 ? 'article' : 'articles';
  const ids = articles.map(({ id }) => id);
  const sentences = [
    `HTML that is not allowed was dropped (${joinSome(parts, maxNames)}) from ${noun} ${joinSome(ids, maxIds)}.`,
  ];
  if (hosts.length > 0) {
    sentences.push(`\`sanitize: { iframes: [${joinSome(hosts, maxIds)}] }\` keeps frames.`);
  }
  if (hosts.length < parts.length) {
    sentences.push('`sanitize: { tags, attributes }` keeps what is named there.');
  }
  return sentences.join(' ');
}
