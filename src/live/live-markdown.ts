import type { Options } from 'micromark';
import { ArticlesOptionsError } from '../errors.ts';
import { closeTags } from '../html/editors/jsx-tags.ts';
import { headingsOf, listHeadings } from '../html/headings.ts';
import { attributeOf, elementsOf, parseHtml, toHtml } from '../html/parse-html.ts';
import type { Rendered } from '../render/render-article.ts';

type HtmlExtension = NonNullable<Options['htmlExtensions']>[number];
type Handle = NonNullable<HtmlExtension['exit']>['htmlTextData'];

/** Matches the beginning of a heading in raw HTML. Its line may end there. */
const rawHeading = /<h[1-6](?=[\s/>]|$)/gi;

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
  // A random attribute, which no article can contain.
  const mark = `data-${crypto.randomUUID()}`;
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml(), rawHtml(mark)],
  });
  return likeAstro(html, mark);
}

/**
 * Passes raw HTML through, without GFM's filter of tags. Its headings get an attribute, because Astro's renderer gives them no
 * id.
 */
function rawHtml(mark: string): HtmlExtension {
  const pass: Handle = function (token) {
    const html = this.sliceSerialize(token).replace(rawHeading, `$& ${mark}`);
    this.raw(this.encode(html));
  };
  return { exit: { htmlFlowData: pass, htmlTextData: pass } };
}

/** Gives headings and blocks of code the same attributes as Astro's renderer does. */
function likeAstro(html: string, mark: string): Rendered {
  const tree = parseHtml(closeTags(html));
  const ofMarkdown = headingsOf(tree).filter((each) => attributeOf(each, mark) === undefined);
  const headings = listHeadings(ofMarkdown);
  for (const { tagName, attrs, childNodes } of elementsOf(tree)) {
    const isCode = tagName === 'pre' && childNodes[0]?.nodeName === 'code';
    // Readers without a mouse can scroll it.
    if (isCode && attrs.length === 0) attrs.push({ name: 'tabindex', value: '0' });
  }
  // Comments and values of attributes may contain what looks like a heading.
  const unmarked = toHtml(tree).replaceAll(` ${mark}=""`, '').replaceAll(` ${mark}`, '');
  return { html: unmarked, metadata: { headings } };
}
