export interface Found {
  title: string;
  address: string;
  /** Empty where it is that of the page. */
  lang: string;
  text: string;
}

/** A piece of text, and whether it is one that was looked for. */
export interface Piece {
  text: string;
  hit: boolean;
}

/** Finds the articles that hold all words of a query, those with more of them in the title first. */
export function search(articles: readonly Found[], query: string): Found[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const inTitle = (found: Found) => words.filter((word) => fold(found.title).includes(word)).length;
  return articles
    .filter(({ title, text }) => {
      const folded = fold(`${title} ${text}`);
      return words.every((word) => folded.includes(word));
    })
    .map((found) => ({ found, rank: inTitle(found) }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ found }) => found);
}

/** Cuts the place out of a text where the first word of a query stands, with all of them marked. */
export function excerpt(text: string, query: string, length = 180): Piece[] {
  const words = wordsOf(query);
  const whole = pieces(text, words);
  const first = whole.findIndex(({ hit }) => hit);
  const before = first < 1 ? '' : (whole[first - 1]?.text ?? '');
  const from = whole.slice(Math.max(first, 0));
  const lead = before.length > 60 ? `… ${before.slice(-50).replace(/^\S*\s/, '')}` : before;
  const shown: Piece[] = lead ? [{ text: lead, hit: false }] : [];
  let room = length - lead.length;
  for (const piece of from) {
    if (room <= 0) break;
    const fits = piece.text.length <= room;
    shown.push(fits ? piece : { ...piece, text: `${cutAtWord(piece.text, room)} …` });
    room -= piece.text.length;
  }
  return shown;
}

/** Writing without spaces is cut anywhere. */
function cutAtWord(text: string, length: number): string {
  const cut = text.slice(0, length);
  const end = cut.lastIndexOf(' ');
  return (end > length / 2 ? cut.slice(0, end) : cut).trimEnd();
}

/** Splits a text at the words that were looked for. */
export function pieces(text: string, words: readonly string[]): Piece[] {
  if (words.length === 0) return [{ text, hit: false }];
  // A letter can fold to none or to several, so each folded one remembers where it came from.
  let folded = '';
  const origins: number[] = [];
  let at = 0;
  for (const letter of text) {
    for (const unit of fold(letter)) {
      folded += unit;
      for (let each = 0; each < unit.length; each++) origins.push(at);
    }
    at += letter.length;
  }
  origins.push(at);

  const shown: Piece[] = [];
  let end = 0;
  for (const { index, 0: found } of folded.matchAll(
    new RegExp(words.map(escaped).join('|'), 'g'),
  )) {
    const start = origins[index] ?? 0;
    if (start > end) shown.push({ text: text.slice(end, start), hit: false });
    end = origins[index + found.length] ?? at;
    shown.push({ text: text.slice(start, end), hit: true });
  }
  if (end < text.length) shown.push({ text: text.slice(end), hit: false });
  return shown;
}

export function wordsOf(query: string): string[] {
  return fold(query).split(/\s+/).filter(Boolean);
}

/** Without accents and capitals: "cafe" finds "Café". */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
