import { micromark, type Options } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { Rendered } from '../render/render-article.ts';
import { likeAstro } from './astro-html.ts';

type HtmlExtension = NonNullable<Options['htmlExtensions']>[number];

/**
 * Renders Markdown where Astro's own renderer is not available. Raw HTML and all URLs pass through: the
 * result is sanitized later, and the length and shape of the text are checked before.
 */
export async function renderMarkdown(markdown: string): Promise<Rendered> {
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml(), rawHtml],
  });
  return likeAstro(html);
}

/** Passes raw HTML through, without GFM's filter of tags. */
const rawHtml: HtmlExtension = {
  exit: {
    htmlFlowData(token) {
      this.raw(this.encode(this.sliceSerialize(token)));
    },
    htmlTextData(token) {
      this.raw(this.encode(this.sliceSerialize(token)));
    },
  },
};
