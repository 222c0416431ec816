import type { LoadReport } from '../../report/load-report.ts';
import type { SyncProgress } from '../../sync/sync.ts';

/** The names of what dev server and toolbar tell each other. */
export const messages = {
  /** From the app: what is the state, and what article is on the page with this path? */
  ask: 'astro-articles:ask',
  /** From the app: load the articles again. */
  refresh: 'astro-articles:refresh',
  /** To the app, whenever it changes. */
  state: 'astro-articles:state',
} as const;

export interface Question {
  /** `location.pathname` */
  path: string;
}

export interface ToolbarState {
  busy: boolean;
  progress?: SyncProgress;
  error?: string;
  reports: (LoadReport & {
    /** The size of the mirror's files, in bytes. */
    mirrorBytes?: number;
  })[];
  /** Answers a question: the page that was asked about, and the article that it shows, if any. */
  page?: { path: string; article?: ShownArticle };
}

export interface ShownArticle {
  collection: string;
  id: string;
  title: string;
  digest: string;
  cover: boolean;
  words: number | undefined;
  /** The path of the article's JSON on the dev server. */
  json: string;
}
