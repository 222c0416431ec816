const maxDescriptionLength = 160;

// Matches scripts that have no spaces between words.
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const mayBeUnspaced = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ufaff]/;
const spacedWord = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

export function countWords(text: string): number {
  // Segmenting is slow, so only the scripts that need it are segmented.
  if (!mayBeUnspaced.test(text)) return text.match(spacedWord)?.length ?? 0;
  let count = 0;
  const spaced = text.replace(unspaced, (run) => {
    count += segments(run).filter(({ isWordLike }) => isWordLike).length;
    return ' ';
  });
  return count + (spaced.match(spacedWord)?.length ?? 0);
}

/** Shortens a text to a description, at the end of a word. */
export function toDescription(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (plain.length <= maxDescriptionLength) return plain;
  const room = maxDescriptionLength - 1;
  const cut = plain.slice(0, room + 1);
  const end = cut.search(unspaced) === -1 ? cut.lastIndexOf(' ') : -1;
  return `${plain.slice(0, end > 0 ? end : wordEnd(plain, room)).replace(/[\s\p{P}]+$/u, '')}…`;
}

/** Finds the end of the last word that is whole within a length. */
function wordEnd(text: string, room: number): number {
  let end = 0;
  for (const { index, segment } of segments(text.slice(0, room + 64))) {
    if (index + segment.length > room) break;
    end = index + segment.length;
  }
  return end;
}

const maxBylineLength = 80;
const by =
  /^(?:(?:written|posted|published|words|text|story) )?(?:by|von|par|por|di|da|de|door|av|af|autor|author|автор|作者)[:：]?\s+/iu;
const name = /^(?:\p{Lu}[\p{L}\p{M}.'’-]*|\p{Lo}+|and|und|et|y|e|en|og|och|[^\p{L}]+)$/u;
const date = /\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\d年/;
const maxDateWords = 6;

/** Whether a paragraph contains only an author or a date, and is not a description of the article. */
export function isByline(text: string): boolean {
  if (text.length > maxBylineLength) return false;
  const words = text.split(/\s+/).filter((word) => /\p{L}/u.test(word));
  if (date.test(text) && words.length <= maxDateWords && !/[.!?…]$/.test(text)) return true;
  return (
    by.test(text) &&
    text
      .replace(by, '')
      .split(/[\s,]+/)
      .every((word) => name.test(word))
  );
}

function segments(text: string): Intl.SegmentData[] {
  return [...segmenter.segment(text)];
}
