import { compile, parse, postprocess, preprocess } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { Rendered } from '../render/render-article.ts';
import { likeAstro } from './astro-html.ts';
import { type Events, type HtmlExtension, typography } from './smartypants.ts';

/** The limits of a text. micromark needs about a second for a million characters. */
const limits = {
  length: 1_000_000,
  marks: 40_000,
  footnotes: 1_000,
  definitions: 10_000_000,
  /** Quotes and list items times lines: at the end of each, micromark copies all that it has parsed. */
  endings: 10_000_000,
};
const mark = /\r\n?|[\n!"&'()*<=>[\]\\_`|~-]/g;

/**
 * Renders Markdown where Astro's own renderer is not available. Raw HTML and all URLs pass through: the
 * result is sanitized later.
 *
 * @throws when the text has more markup than can be rendered while a reader waits
 */
export async function renderMarkdown(markdown: string): Promise<Rendered> {
  checkCount('characters', markdown.length, limits.length);
  checkCount('signs of markup', markdown.match(mark)?.length, limits.marks);
  checkCount('footnotes', markdown.match(/\[\^/g)?.length, limits.footnotes);
  checkEndings(markdown);
  const tokens = preprocess()(markdown, undefined, true);
  const events = postprocess(
    parse({ extensions: [gfm()] })
      .document()
      .write(tokens),
  );
  checkDefinitions(events);
  const html = compile({
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    htmlExtensions: [gfmHtml(), rawHtml, typography(markdown, events)],
  })(events);
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

function checkCount(name: string, count = 0, limit: number): void {
  if (count <= limit) return;
  throw new Error(`it has more than ${limit} ${name}, which is too much to render on demand`);
}

const markers = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t\r\n]|$)))+/gm;

function checkEndings(text: string): void {
  const lines = text.split(/\r\n?|\n/).length;
  const starts = text.match(markers)?.join('') ?? '';
  const containers = starts.replace(/[ \t\d]+/g, '').length;
  if (containers * lines <= limits.endings) return;
  throw new Error(
    `it has ${containers} quotes and list items in ${lines} lines, which is too much to render on demand`,
  );
}

/** Limits the output of link definitions: each use repeats the URL and the title. */
function checkDefinitions(events: Events): void {
  let longest = 0;
  let uses = 0;
  for (const [kind, { type, start, end }] of events) {
    if (kind === 'enter') continue;
    if (type === 'definition') longest = Math.max(longest, end.offset - start.offset);
    else if (type === 'link' || type === 'image') uses += 1;
  }
  checkCount('characters of repeated definitions', longest * uses, limits.definitions);
}
