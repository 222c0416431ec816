import { ArticlesInvalidError, messageOf } from '../errors.ts';
import { type ProcessorParts, probeProcessor } from './processor-parts.ts';
import {
  type ArticleText,
  type RenderedArticle,
  type RenderSettings,
  renderArticle,
} from './render-article.ts';

export type MarkdownProcessor = Pick<RenderSettings, 'render' | 'keepInfoStrings' | 'bounds'>;

/** The settings of one article. */
export type ArticleSettings = Omit<RenderSettings, keyof MarkdownProcessor | 'processorParts'>;

/** Creates a function that renders articles with a Markdown processor, in a build and for live pages. */
export function createSiteRenderer(processor: MarkdownProcessor) {
  let parts: Promise<ProcessorParts> | undefined;

  /** @throws {ArticlesInvalidError} when the Markdown of the article cannot be rendered */
  return async (article: ArticleText, settings: ArticleSettings): Promise<RenderedArticle> => {
    // Only on first use, because most loads render nothing.
    if (settings.format !== 'html') parts ??= probeProcessor(processor.render);
    const processorParts = settings.format === 'html' ? undefined : await parts;
    try {
      return await renderArticle(article, { ...settings, ...processor, processorParts });
    } catch (cause) {
      const problem = { id: article.id, field: 'content', reason: messageOf(cause) };
      throw new ArticlesInvalidError([problem], { cause });
    }
  };
}
