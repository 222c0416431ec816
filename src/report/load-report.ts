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
  /** Why the load failed, or why the service was of no use. */
  error?: string;
  /** When the load ended, in ms since 1970. */
  at: number;
  /** Milliseconds. */
  duration: number;
  warnings: Warning[];
  changes?: Changes;
  traffic?: Traffic;
  mirror?: { folder: string; syncedAt: number; articles: number; images: number };
}

/** The numbers of articles that are new, changed, unchanged and removed, and of those that are shown. */
export interface Changes {
  added: number;
  updated: number;
  unchanged: number;
  removed: number;
  /** Entries in the collection. */
  entries: number;
  /** Drafts that are left out. */
  drafts: number;
  /** Articles that cannot be used and have no good version, or that `transform` leaves out. */
  leftOut: number;
}

/** Compares the articles that a load wants to commit with those before it. */
export function countChanges(
  { versions, before }: Pick<Load, 'versions' | 'before'>,
  { entries, drafts }: { entries: number; drafts: 'skip' | 'include' },
): Changes {
  const articles = versions.map(({ article }) => article);
  const hasDigest = ({ id, digest }: IndexedArticle) => before.get(id)?.digest === digest;
  const added = articles.filter(({ id }) => !before.has(id)).length;
  const unchanged = articles.filter(hasDigest).length;
  const draftCount = drafts === 'skip' ? articles.filter(({ draft }) => draft).length : 0;
  return {
    added,
    unchanged,
    updated: articles.length - added - unchanged,
    removed: before.size - (articles.length - added),
    entries,
    drafts: draftCount,
    leftOut: articles.length - draftCount - entries,
  };
}

/** How many warnings are printed of each load. */
export const shownWarnings = 50;

/** Describes everything in a load that a person may want to fix. */
export function warningsOf(
  load: Pick<Load, 'problems' | 'notes' | 'imageProblems' | 'unproven' | 'versions'>,
  { problems, lostImages }: { problems: readonly ArticleProblem[]; lostImages: readonly string[] },
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
    ...droppedParts(load.versions).map(warn('articles')),
    ...load.imageProblems.map(describeImage).map(warn('images')),
    ...(lostImages.length > 0
      ? [
          `The files of these images are missing from the mirror, and they are left out: ${someOf(lostImages, shownParts)}.`,
        ]
      : []
    ).map(warn('images')),
  ];
}

function describeUnusable(problem: ArticleProblem): string {
  return `${describeProblem(problem)}. Its last good version is used, if there is one.`;
}

function describeImage({ url, reason, kept, articles, isCover }: UsedImageProblem): string {
  const users = `${articles.length === 1 ? 'article' : 'articles'} ${someOf(articles, shownIds)}`;
  const effect = isCover ? 'The article has no cover.' : 'It stays a remote image.';
  const result = kept ? 'The last good file is used.' : effect;
  return `${isCover ? 'Cover' : 'Image'} ${url} of ${users}: ${reason}. ${result}`;
}

const shownIds = 5;
const shownParts = 20;

/** Joins the first names of a list, which may be as long as the collection. */
function someOf(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return names.slice(0, most).join(', ') + more;
}

/** One line about what the sanitiser dropped from the articles that were rendered in this load. */
function droppedParts(versions: Load['versions']): string[] {
  const ids = versions.filter(({ outline }) => outline && outline.dropped.length > 0);
  const parts = new Set(ids.flatMap(({ outline }) => outline?.dropped ?? []));
  if (parts.size === 0) return [];
  const names = ids.map(({ article }) => article.id);
  return [
    `HTML that is not allowed was dropped (${someOf([...parts].sort(), shownParts)}) from ` +
      `${names.length === 1 ? 'article' : 'articles'} ${someOf(names, shownIds)}. ` +
      'The option `sanitize` decides what is allowed.',
  ];
}
