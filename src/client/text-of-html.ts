import { decodeHTML } from 'entities/decode';

/** Matches a tag, a comment or a declaration. */
const markup = /<[a-z/!?][^<>]*>/gi;

/**
 * Returns the text of a title that is HTML, such as `title.rendered` of WordPress: without tags, and with entities
 * decoded. A title of plain text, in which `<dialog>` is a word, must not be passed to it.
 */
export function textOfHtml(html: string): string {
  // Each part is decoded alone, because two of them could form an entity.
  const parts = html.replace(/<br\b[^<>]*>/gi, ' ').split(markup);
  // A no-break space is a decision of the author.
  return parts
    .map(decodeHTML)
    .join('')
    .replace(/[\t\n\f\r ]+/g, ' ')
    .replace(/^ | $/g, '');
}
