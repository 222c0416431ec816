/**
 * Writes data for a `<script>`. Nothing in it can end that element, or begin a comment in it: HTML
 * looks for `<`, which JSON can write in another way.
 */
export function toJsonLd(data: object): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}
