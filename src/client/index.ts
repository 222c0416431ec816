export type { Article, ListedArticle, Row } from './article.ts';
export type { AttemptEvent, Traffic } from './ask.ts';
export type { Fetch } from './attempt.ts';
export {
  type ArticleOptions,
  type ArticlesClient,
  type ArticlesClientOptions,
  type CallOptions,
  createArticlesClient,
  type SurveyOptions,
  type SurveyRow,
} from './client.ts';
export * from './errors.ts';
export type { ListingPage } from './page.ts';
export type { RetryOptions } from './retry.ts';
export type { Survey } from './survey.ts';
export type { OnRows } from './taken.ts';
