import type { Options } from 'micromark';
import { ArticlesError } from '../errors.ts';
import { listHeadings } from '../render/headings.ts';
import { elementsOf, parseHtml, toHtml } from '../render/parse-html.ts';
import type { Rendered } from '../render/render-article.ts';

type HtmlExtension = NonNullable<Options['htmlExtensions']>[number];

/**
 * Renders Markdown where Astro's own renderer is not available. Raw HTML and all URLs pass through: the
 * result is sanitized later, and the length and shape of the text are checked before.
 *
 * @throws {ArticlesError} `micromark-missing`
 */
export async function renderMarkdown(
  markdown: string,
  importParser = importMicromark,
): Promise<Rendered> {
  const [{ micromark }, { gfm, gfmHtml }] = await importParser().catch(missing);
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml(), rawHtml],
  });
  return likeAstro(html);
}

/** Only here, because they are optional: live collections with `render` do not need them. */
function importMicromark() {
  return Promise.all([import('micromark'), import('micromark-extension-gfm')]);
}

function missing(cause: unknown): never {
  throw new ArticlesError(
    'micromark-missing',
    'A live collection without `render` needs the packages micromark and micromark-extension-gfm.',
    {
      hint:
        'Install them in the site: `npm install micromark micromark-extension-gfm`. ' +
        "Or pass the site's own Markdown settings as `render`.",
      cause,
    },
  );
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

/** Gives headings and blocks of code the same attributes as Astro's renderer does. */
function likeAstro(html: string): Rendered {
  const tree = parseHtml(html);
  const headings = listHeadings(tree);
  for (const { tagName, attrs, childNodes } of elementsOf(tree)) {
    const isCode = tagName === 'pre' && childNodes[0]?.nodeName === 'code';
    // Readers without a mouse can scroll it.
    if (isCode && attrs.length === 0) attrs.push({ name: 'tabindex', value: '0' });
  }
  return { html: toHtml(tree), metadata: { headings } };
}
