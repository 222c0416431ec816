export type { Traffic } from '../http/request.ts';
export type { Fetch } from '../http/send.ts';
export type { Article, ListedArticle, Row } from './article.ts';
export {
  type ArticleOptions,
  type ArticlesClient,
  type CallOptions,
  createArticlesClient,
  type PageOptions,
} from './client.ts';
export * from './client-errors.ts';
export type { ArticlesClientOptions } from './client-options.ts';
export { htmlOfQuill } from './html-of-quill.ts';
export { createLinkPages, type LinkPages } from './link-pages.ts';
export type { ListingPage } from './listing/page.ts';
export { mapRows } from './map-rows.ts';
export { numberedPages } from './numbered-pages.ts';
export { textOfHtml } from './text-of-html.ts';
export {
  type Api,
  type ApiRequest,
  type ApiResponse,
  type RowRange,
  type Rows,
  type Translation,
  translateApi,
} from './translate.ts';
