/** By the reason, how messages describe articles that are left out. */
export const leftOutTexts = {
  draft: 'left out as drafts',
  transform: 'left out by `transform`',
  schema: "left out by the collection's schema",
  'no usable version': 'without a usable version',
  'not listed': 'no longer listed',
} as const;

export type LeftOutReason = keyof typeof leftOutTexts;
