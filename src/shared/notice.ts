import type { ArticleProblem } from '../errors.ts';

/**
 * The subject of a notice: `article` is an article that cannot be used, and `field` a field that is ignored, as a whole or in
 * part, because of its form; the article is usable without it.
 */
export type NoticeKind = 'article' | 'field' | 'image' | 'listing' | 'outage' | 'other';

/** Something in a load that the owner of the site may want to fix. */
export interface Notice {
  kind: NoticeKind;
  /** The ids of the articles that it is about. */
  ids: readonly string[];
  /** The field with the problem, if it is a single one. */
  field?: string | undefined;
  /** The reason, for an article or field; otherwise one or more whole sentences. */
  text: string;
}

/** By the reason, how messages describe articles that are left out. */
export const leftOutTexts = {
  draft: 'left out as drafts',
  transform: 'left out by `transform`',
  schema: "left out by the collection's schema",
  'no usable version': 'without a usable version',
  'not listed': 'no longer listed',
} as const;

export type LeftOutReason = keyof typeof leftOutTexts;

/** Returns the notice of a problem of one article. */
export function noticeOf({ id, field, reason }: ArticleProblem, kind: NoticeKind = 'article') {
  return { kind, ids: [id], ...(field !== undefined && { field }), text: reason };
}

/** Returns the problems of articles that some notices are about, one for each article, for an error. */
export function problemsIn(notices: readonly Notice[]): ArticleProblem[] {
  return notices.flatMap(({ ids, field, text }) =>
    ids.map((id) => ({ id, ...(field !== undefined && { field }), reason: text })),
  );
}

/** The part of Astro's logger that the package uses. */
export interface Logger {
  info(line: string): void;
  warn(line: string): void;
  debug(line: string): void;
}
