/** Splits a list of texts at spaces: `·` is a space, and `¶` the end of a line. */
export const list = (text: string) =>
  text
    .trim()
    .split(/[ \n]+/)
    .map((part) => part.replaceAll('·', ' ').replaceAll('¶', '\n'));
