export { default as ArticleBody } from './ArticleBody.astro';
export { default as ArticleCover } from './ArticleCover.astro';
export { default as ArticleHead } from './ArticleHead.astro';
