import { tagsWithoutText } from '../kept-names.ts';

/** Elements whose content no reader sees. */
const hiding = [...tagsWithoutText, 'video', 'audio', 'canvas', 'meter', 'progress'].join('|');
/** Tags of any element, so that the values of attributes are no tags, and the name of one that hides its content. */
const tags = new RegExp(`<(?:(${hiding})(?=[\\s/])|[a-z])((?:"[^"]*"|'[^']*'|[^"'<>])*)>`, 'gi');
/** The slash behind it is a part of it. */
const unquotedValue = /=[^\s"'=]+\/$/;

/**
 * Closes elements that are closed as in JSX, such as `<iframe />`: in HTML, such an element contains the text behind it.
 * No line begins with `>`, which is a quote in Markdown.
 */
export function closeTags(html: string): string {
  return html.replace(tags, (all, name: string | undefined, rest: string) =>
    name && rest.endsWith('/') && !unquotedValue.test(rest)
      ? `<${name}${rest.slice(0, -1).trimEnd()}></${name}>`
      : all,
  );
}
