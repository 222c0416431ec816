import { parseHtml, textOf } from './parse-html.ts';

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

/** Returns the description that the service gives an article, if it has one. */
export function ownDescription({ description }: Record<string, unknown>): string | undefined {
  const text = typeof description === 'string' ? description.replace(/\s+/g, ' ').trim() : '';
  return text || undefined;
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

function segments(text: string): Intl.SegmentData[] {
  return [...segmenter.segment(text)];
}

/** Returns a function that decodes titles, if they are HTML: `Salt &#038; water` means *Salt & water*. */
export function titleDecoder(format: 'markdown' | 'html'): ((title: string) => string) | undefined {
  return format === 'html' ? plainText : undefined;
}

function plainText(html: string): string {
  try {
    return textOf(parseHtml(html)).replace(/\s+/g, ' ').trim();
  } catch {
    // A title with too many elements is shown unchanged.
    return html;
  }
}

/** Matches the start of a text whose first block is an element of HTML. */
const blockTag =
  /^\s*(?:<!--[\s\S]*?-->\s*)?<(?:p|h[1-6]|div|figure|ul|ol|blockquote|section|table)\b[^<>]*>/i;

/** Whether a text is HTML rather than Markdown: it begins with a block, and has as many of them as paragraphs. */
export function looksLikeHtml(content: string): boolean {
  if (!blockTag.test(content)) return false;
  const paragraphs = content.trim().split(/\n\s*\n/);
  const blocks = content.match(/<(?:p|h[1-6]|div|figure|ul|ol|blockquote|section|table)\b/gi) ?? [];
  return blocks.length >= paragraphs.length && /<\/[a-z\d]+>\s*$/i.test(content);
}
