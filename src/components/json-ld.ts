/** Serialises data for a `<script>`. Without `<`, no text can end the element or begin a comment in it. */
export function toJsonLd(data: object): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}
