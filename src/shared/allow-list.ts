/** The object form of the option `sanitize`: what articles may contain in addition to the default policy. */
export interface AllowList {
  /** Elements, by tag name. */
  tags?: readonly string[] | undefined;
  /** Attributes, by tag name or `*`, as HTML writes them. */
  attributes?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Hosts whose pages may be embedded with an `<iframe>`. */
  iframes?: readonly string[] | undefined;
}

// Each of these can run script or embed a page, however its attributes are sanitized.
const refusedTags = new RegExp(
  `^(?:${[
    'script|style|link|meta|base|template|portal|fencedframe|astro-.*',
    'animate|animatemotion|animatetransform|discard|set',
    'foreignobject|annotation-xml|mglyph|malignmark',
    'noscript|noembed|noframes|xmp|plaintext|title|textarea|listing',
    'iframe|frame|frameset|object|embed|applet|param',
  ].join('|')})$`,
  'i',
);

/** Whether an element is refused, even when `sanitize` allows it. */
export function isRefusedTag(tag: string): boolean {
  return refusedTags.test(tag);
}

/** Whether an attribute runs script on any element. */
export function isRefusedAttribute(name: string): boolean {
  return /^(?:on.*|srcdoc|http-equiv|shadowroot.*)$/i.test(name.replace(/^.*:/, ''));
}
