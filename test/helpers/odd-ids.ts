/** Ids that are difficult in URLs, file names, numbers or objects. */
export const oddIds = [
  0,
  9007199254740993n,
  9007199254740992n,
  'a/b',
  'a b?c#d%25',
  'né ☃ 日本',
  "o'r;&=+,$@:!*()",
  '__proto__',
  '550e8400-e29b-41d4-a716-446655440000',
];
