import type { Article, ListedArticle } from '../../client/article.ts';
import type { ListingPage } from '../../client/listing/page.ts';
import type { ArticleProblem } from '../../errors.ts';
import type { ArticlesOptions, ResolvedOptions } from '../../options/options.ts';
import type { Requests } from './requests.ts';

/** `unknown`: it could not be determined. Only findings that are `wrong` make the check fail. */
export type Level = 'ok' | 'note' | 'unknown' | 'wrong';

export interface Finding {
  topic: string;
  level: Level;
  text: string;
  fix?: string;
}

/** Adds a finding. Its topic is the name of the probe. */
export type Report = (level: Level, text: string, fix?: string) => void;

/** @throws {RequestsUsedUp} when a request is needed and none is left */
export type Probe = (check: Check, report: Report) => void | Promise<void>;

export interface Check {
  requests: Requests;
  options: ResolvedOptions;
  page: ListingPage;
  listed: ListedArticle[];
  /** The articles of rows that have all four fields. */
  inRows: Article[];
  badRows: ArticleProblem[];
  /** Fetches some articles one by one, once for all probes. */
  sample(): Promise<Sample>;
  /** Returns the articles whose text is known: all those of the rows, or the sample. */
  articles(): Promise<Article[]>;
  /** Whether the order of the rows depends on the request, so that articles can be missing. */
  isUnordered: boolean;
  /** The options that suit the service. Probes add to it. */
  suggested: ArticlesOptions;
}

export interface Sample {
  articles: Article[];
  /** How many of them differ from their row. */
  different: number;
  /** Why the others cannot be used. */
  problems: string[];
}
