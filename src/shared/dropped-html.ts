/** The kinds of HTML that is dropped. The first ones are those that readers miss most. */
export const droppedKinds = [
  /** A frame, with the host that the site can allow, if it has one. */
  'frame',
  /** An element, without its content or with it. */
  'element',
  /** An item of a list that is in no list. */
  'stray item',
  /** An element of a drawing or formula. */
  'drawing',
  /** A URL, by its scheme. */
  'url',
  /** The value of an attribute, or a part of it. */
  'value',
  /** An attribute that no article may have, unless the site lists it. */
  'attribute',
  /** An attribute with text that contains a tag. */
  'text with a tag',
  /** An id that nothing leads to. */
  'id',
  /** Further parts, of which there are too many to name. */
  'others',
] as const;

/** A part of the HTML of an article that is not kept. Names are texts of the article. */
export interface DroppedHtml {
  kind: (typeof droppedKinds)[number];
  /** The name of an element or attribute. */
  name: string;
  /** The element that had the attribute. */
  on?: string | undefined;
  host?: string | undefined;
  /** Without the colon. */
  scheme?: string | undefined;
}
