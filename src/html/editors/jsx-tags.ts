import { tagsWithoutText } from '../kept-names.ts';

/** Elements whose content no reader sees. */
const hiding = [...tagsWithoutText, 'video', 'audio', 'canvas', 'meter', 'progress'].join('|');
/** Matches whole tags, so that a value of an attribute is not taken for a tag; with the name of a tag that hides its content. */
const tagPattern = new RegExp(
  `<(?:(${hiding})(?=[\\s/])|[a-z])((?:"[^"]*"|'[^']*'|[^"'<>])*)>`,
  'gi',
);
/** Matches a value without quotes that ends with the slash of the tag, which parsers take for a part of the value. */
const unquotedValue = /=[^\s"'=]+\/$/;

/**
 * Closes elements that are closed as in JSX, such as `<iframe />`: in HTML, such an element contains the text behind it.
 * No line begins with `>`, which is a quote in Markdown.
 */
export function closeTags(html: string): string {
  if (!html.includes('/>')) return html;
  return html.replace(tagPattern, (all, name: string | undefined, rest: string) =>
    name && rest.endsWith('/') && !unquotedValue.test(rest)
      ? `<${name}${rest.slice(0, -1).trimEnd()}></${name}>`
      : all,
  );
}
