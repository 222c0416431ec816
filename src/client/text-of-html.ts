import { decodeHTML } from 'entities/decode';

/** Matches the start of markup (HTML, 13.2.5.6): a tag with its name, a comment or a declaration. */
const startOfMarkup = /<(?:\/?[a-z][^\t\n\f\r />]*|!--(?:-?>)?|[!?]|\/(?=[\s\S]))/gi;
/** Matches a part of a tag between its name and its `>`. A quote counts only after an equals sign. */
const partOfTag = /[^>=]+|=[\t\n\f\r ]*(?:"[^"]*|'[^']*)?/y;
const endOfComment = /--!?>/g;
const lineBreak = /^<br[\t\n\f\r />]/i;

/**
 * Returns the text of a title that is HTML, such as `title.rendered` of WordPress: without tags, and with entities
 * decoded. A title of plain text, in which `<dialog>` is a word, must not be passed to it.
 */
export function textOfHtml(html: string): string {
  let text = '';
  let at = 0;
  while (at < html.length) {
    const [found = '', from] = next(startOfMarkup, html, at);
    // Each part is decoded alone, because two of them could form an entity.
    text += decodeHTML(html.slice(at, from));
    at = endOfMarkup(html, from, found);
    if (lineBreak.test(html.slice(from, from + 4))) text += ' ';
  }
  // A no-break space is a decision of the author.
  return text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '');
}

/** Returns the end of the tag, comment or declaration whose start was found. It may be cut off by the end of the text. */
function endOfMarkup(html: string, from: number, found: string): number {
  if (found === '' || found.endsWith('>')) return from + found.length;
  if (found === '<!--') {
    const [end = '', endAt] = next(endOfComment, html, from + found.length);
    return endAt + end.length;
  }
  let at = from + found.length;
  if (/<\/?[a-z]/i.test(found)) {
    for (let part = next(partOfTag, html, at); part[0]; part = next(partOfTag, html, at)) {
      at += part[0].length;
    }
  }
  const end = html.indexOf('>', at);
  return end < 0 ? html.length : end + 1;
}

/** Returns the next match and its position; without one, nothing and the end. */
function next(
  pattern: RegExp,
  html: string,
  from: number,
): [found: string | undefined, at: number] {
  pattern.lastIndex = from;
  const match = pattern.exec(html);
  return match ? [match[0], match.index] : [undefined, html.length];
}
