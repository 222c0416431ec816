import type { Traffic } from '../client/http/request.ts';
import { type ArticleProblem, describeProblem, printable } from '../errors.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Warning } from '../shared/logger.ts';
import type { UsedImageProblem } from '../sync/needed-images.ts';
import type { Load } from '../sync/pipeline.ts';

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
  /** Entries in the collection. */
  entries: number;
  /** Drafts that are left out. */
  drafts: number;
  /** Other articles that are left out, because of `transform` or the collection's schema. */
  leftOut: number;
}

/** Compares the articles that a load wants to commit with those before it. */
export function countChanges(
  { versions, before }: Pick<Load, 'versions' | 'before'>,
  { shown, drafts }: { shown: ReadonlySet<string>; drafts: 'skip' | 'include' },
): Changes {
  const articles = versions.map(({ article }) => article);
  const hasDigest = ({ id, digest }: IndexedArticle) => before.get(id)?.digest === digest;
  const added = articles.filter(({ id }) => !before.has(id)).length;
  const unchanged = articles.filter(hasDigest).length;
  const leftOut = articles.filter(({ id }) => !shown.has(id));
  const leftOutDrafts = leftOut.filter(({ draft }) => draft && drafts === 'skip');
  return {
    added,
    unchanged,
    updated: articles.length - added - unchanged,
    removed: before.size - (articles.length - added),
    entries: shown.size,
    drafts: leftOutDrafts.length,
    leftOut: leftOut.length - leftOutDrafts.length,
  };
}

/**
 * Describes everything in a load that the owner of the site may want to fix.
 *
 * @param problems those of entries
 */
export function warningsOf(
  load: Pick<Load, 'problems' | 'notes' | 'imageProblems' | 'unproven' | 'versions'>,
  problems: readonly ArticleProblem[] = [],
): Warning[] {
  const warn = (kind: Warning['kind']) => (text: string) => ({ kind, text: printable(text) });
  const { unproven } = load;
  return [
    ...(unproven
      ? [`No articles were removed, because the listing is unreliable: ${unproven}.`]
      : []
    ).map(warn('listing')),
    ...[...load.problems, ...problems].map(describeUnusable).map(warn('articles')),
    ...load.notes.map((note) => `${describeProblem(note)}.`).map(warn('articles')),
    ...describeDropped(load.versions).map(warn('articles')),
    ...load.imageProblems.map(describeImage).map(warn('images')),
  ];
}

function describeUnusable(problem: ArticleProblem): string {
  return `${describeProblem(problem)}. The last good version is used, if there is one.`;
}

function describeImage({ url, reason, kept, articles, isCover }: UsedImageProblem): string {
  const users = `${articles.length === 1 ? 'article' : 'articles'} ${joinSome(articles, maxIds)}`;
  const effect = isCover ? 'No cover is shown.' : 'It stays a remote image.';
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

/** Describes in one line the HTML that was dropped from the articles that were rendered in this load. */
function describeDropped(versions: Load['versions']): string[] {
  const changed = versions.filter(({ fields }) => fields?.dropped.length);
  const parts = new Set(changed.flatMap(({ fields }) => fields?.dropped ?? []));
  if (parts.size === 0) return [];
  const names = changed.map(({ article }) => article.id);
  return [
    `HTML that is not allowed was dropped (${joinSome([...parts].sort(), maxNames)}) from ` +
      `${names.length === 1 ? 'article' : 'articles'} ${joinSome(names, maxIds)}. ` +
      'The option `sanitize` decides what is allowed.',
  ];
}
