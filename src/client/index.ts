export type { Article, ListedArticle, Row } from './article.ts';
export {
  type ArticleOptions,
  type ArticlesClient,
  type ArticlesClientOptions,
  type CallOptions,
  createArticlesClient,
  type SurveyOptions,
} from './client.ts';
export * from './client-errors.ts';
export type { Fetch } from './http/attempt.ts';
export type { AttemptEvent, Traffic } from './http/request.ts';
export type { RetryOptions } from './http/retry.ts';
export type { ListingPage } from './listing/page.ts';
export type { Survey } from './listing/survey.ts';
export type { OnRows } from './listing/walk.ts';
