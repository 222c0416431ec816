import type { Notice } from '../errors.ts';

/** The values of what a load has seen, by code. The words are in `report/seen-table.ts`. */
export interface FindingData {
  'cover-unreadable': { got: string };
  image: Pictures & ImageProblem;
  kept: { why: string };
  'listing-unreliable': { reason: string; announced?: number | undefined; listed: number };
  mirror: { text: string };
  'old-sharp': Pictures & { sharp: string | undefined };
  outage: {
    /** Which articles are used, in words; undefined for none. */
    source: string | undefined;
    message: string;
    hint: string;
  };
  'slug-taken': { wanted: string; slug: string };
  'slug-unusable': { wanted: string; slug: string };
}

/** Pictures of one host that have the same problem. */
export interface Pictures {
  isCover: boolean;
  host: string | undefined;
}

/** Why an image could not be downloaded. */
export interface ImageProblem {
  reason: string;
  /** What to do. */
  remedy: string;
  /** Whether the file of an earlier load is still used. */
  kept: boolean;
}

type FindingCode = keyof FindingData;

/** What a load has seen, and the owner of a site should know. */
export type SeenFinding<C extends FindingCode = FindingCode> = {
  [K in C]: {
    code: K;
    /** The ids of the articles that it is about. */
    ids: readonly string[];
    /** The URLs of the pictures that it is about. */
    urls?: readonly string[];
    data: FindingData[K];
  };
}[C];

/** A problem of an article has its words already, because an error may contain it. */
export type Finding = SeenFinding | Notice;

/** Returns whether a finding is an article that cannot be used. */
export function isProblem(finding: Finding): finding is Notice {
  return finding.code === 'article';
}
