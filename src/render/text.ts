const descriptionLength = 160;

// Scripts that write words without spaces between them.
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const spacedWord = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Counts words in any script. */
export function countWords(text: string): number {
  let count = 0;
  // Segmenting is slow, so only what needs it goes that way.
  const spaced = text.replace(unspaced, (run) => {
    count += segments(run).filter(({ isWordLike }) => isWordLike).length;
    return ' ';
  });
  return count + (spaced.match(spacedWord)?.length ?? 0);
}

/** Shortens a text to a description, at the end of a word. */
export function describe(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (plain.length <= descriptionLength) return plain;
  const room = descriptionLength - 1;
  let end = 0;
  for (const { index, segment } of segments(plain.slice(0, room + 64))) {
    if (index + segment.length > room) break;
    end = index + segment.length;
  }
  return `${plain.slice(0, end).replace(/[\s\p{P}]+$/u, '')}…`;
}

function segments(text: string): Intl.SegmentData[] {
  return [...segmenter.segment(text)];
}
