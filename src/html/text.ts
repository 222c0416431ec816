const maxDescriptionLength = 160;

/** Matches a letter of the scripts that have no spaces between words. */
const unspacedLetter =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const spacedWord = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

export function countWords(text: string): number {
  // Segmenting is slow, so only texts that need it are segmented.
  if (!unspacedLetter.test(text)) return text.match(spacedWord)?.length ?? 0;
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length;
}

/** Shortens a text to a description, at the end of a word. */
export function toDescription(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (plain.length <= maxDescriptionLength) return plain;
  const words = segmenter.segment(plain.slice(0, 2 * maxDescriptionLength));
  const end = words.containing(maxDescriptionLength - 1)?.index;
  const cutAt = (at = 0) =>
    plain.slice(0, at).replace(/(?<![\s\p{P}\p{Cs}])[\s\p{P}\p{Cs}]+$/u, '');
  // A word that is longer than a description is cut.
  return `${cutAt(end) || cutAt(maxDescriptionLength - 1)}…`;
}

/** Returns whether a text is HTML rather than Markdown: each block begins with a tag, and one has a paragraph or heading. */
export function looksLikeHtml(content: string): boolean {
  if (!content.trimStart().startsWith('<')) return false;
  // Code may have empty lines, and lines of any kind behind them.
  const paragraphs = content
    .replace(/<pre\b(?:(?!<\/?pre\b).)*<\/pre>/gis, '<pre>')
    .trim()
    .split(/\n\s*\n/);
  return (
    paragraphs.every((text) => /^\s*<[a-z!/]/i.test(text)) && /<\/(?:p|h[1-6])>/i.test(content)
  );
}
