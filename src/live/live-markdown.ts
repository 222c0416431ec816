import type { Options } from 'micromark';
import { ArticlesOptionsError } from '../errors.ts';
import { closeTags } from '../html/editors/jsx-tags.ts';
import { headingsOf, listHeadings } from '../html/headings.ts';
import { attributeOf, elementsOf, parseHtml, toHtml } from '../html/parse-html.ts';
import type { Rendered } from '../render/render-article.ts';

type HtmlExtension = NonNullable<Options['htmlExtensions']>[number];

/**
 * Renders Markdown where Astro's own renderer is not available. Raw HTML and all URLs pass through: the
 * result is sanitized later, and the length and shape of the text are checked before.
 *
 * @throws {ArticlesOptionsError} when the site has neither its own settings nor the packages
 */
export async function renderMarkdown(markdown: string): Promise<Rendered> {
  // Only here, because they are optional: live collections with `render` do not need them.
  const packages = Promise.all([import('micromark'), import('micromark-extension-gfm')]);
  const [{ micromark }, { gfm, gfmHtml }] = await packages.catch((cause) => {
    const hint = 'Run `npm install micromark micromark-extension-gfm`, or pass `render`.';
    const message = 'A live collection without `render` needs packages that are not installed.';
    throw new ArticlesOptionsError('invalid-options', message, { hint, cause });
  });
  // A random mark, which no article can contain.
  const mark = `data-${crypto.randomUUID()}`;
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [
      gfmHtml({ labelAttributes: `class="sr-only" ${mark}` }),
      rawHtml,
      markedHeadings(mark),
    ],
  });
  return likeAstro(html, mark);
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

/** Gives the headings of Markdown an attribute, because Astro's renderer gives headings of raw HTML no id. */
function markedHeadings(mark: string): HtmlExtension {
  return {
    exit: {
      atxHeadingSequence(token) {
        // A second sequence may close the line.
        if (this.getData('headingRank')) return;
        const rank = this.sliceSerialize(token).length;
        this.setData('headingRank', rank);
        this.lineEndingIfNeeded();
        this.tag(`<h${rank} ${mark}>`);
      },
      setextHeading() {
        const content = this.resume();
        const rank = this.getData('headingRank');
        this.lineEndingIfNeeded();
        this.tag(`<h${rank} ${mark}>`);
        this.raw(content);
        this.tag(`</h${rank}>`);
        this.setData('slurpAllLineEndings');
        this.setData('headingRank');
      },
    },
  };
}

/** Gives headings and blocks of code the same attributes as Astro's renderer does. */
function likeAstro(html: string, mark: string): Rendered {
  const tree = parseHtml(closeTags(html));
  const marked = headingsOf(tree).filter((heading) => attributeOf(heading, mark) !== undefined);
  for (const heading of marked) heading.attrs = heading.attrs.filter(({ name }) => name !== mark);
  const headings = listHeadings(marked);
  for (const { tagName, attrs, childNodes } of elementsOf(tree)) {
    const isCode = tagName === 'pre' && childNodes[0]?.nodeName === 'code';
    // Readers without a mouse can scroll it.
    if (isCode && attrs.length === 0) attrs.push({ name: 'tabindex', value: '0' });
  }
  return { html: toHtml(tree), metadata: { headings } };
}
