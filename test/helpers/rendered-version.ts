import type { RenderedVersion } from '../../src/load/article-version.ts';
import type { IndexedArticle } from '../../src/mirror/formats.ts';
import type { DroppedHtml } from '../../src/shared/dropped-html.ts';

/** An article of which these parts were dropped. */
export function versionWith(id: string, dropped: DroppedHtml[]): RenderedVersion {
  const article: IndexedArticle = {
    ...{ id, title: 't', record: 'r', cover: null, hasContent: true, slug: id },
    renderings: [{ name: 'k-h', images: [], dropped }],
  };
  return { article, transformed: article };
}

export const frame = (host?: string): DroppedHtml => ({ kind: 'frame', name: 'iframe', host });
export const element = (name: string): DroppedHtml => ({ kind: 'element', name });
export const attribute = (name: string, on = 'p'): DroppedHtml => ({ kind: 'attribute', name, on });
