/** Why an article is left out, in the order of messages. */
export const leftOutReasons = [
  'draft',
  'transform',
  'schema',
  'no usable version',
  'not listed',
] as const;

export type LeftOutReason = (typeof leftOutReasons)[number];

/** How messages describe articles that are left out. */
export const leftOutTexts: Readonly<Record<LeftOutReason, string>> = {
  draft: 'left out as drafts',
  transform: 'left out by `transform`',
  schema: "left out by the collection's schema",
  'no usable version': 'without a usable version',
  'not listed': 'no longer listed',
};
