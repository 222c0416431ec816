import * as fc from 'fast-check';

/** Splits a list of constructs at spaces: `·` is a space, and `¶` the end of a line. */
export const list = (text: string) =>
  text
    .trim()
    .split(/[ \n]+/)
    .map((part) => part.replaceAll('·', ' ').replaceAll('¶', '\n'));

/** The constructs of inline text in CommonMark, GFM and HTML: whole, only opened, and only closed. */
const inline = [
  ...list(String.raw`
  a a· *a· a*· *a* **a· a**b c*· *** _a· a_· *a_· _ __a· ~ ~~a· a~~· ~a~ "a· 'a " ' -- ... \ \* [ ] [a a] [a]
  [0]· [a]( [a](b) [a](<b [a](b·" [·(]( ![ ![[]() ![a](b) [a][b] [·a_ [^1] ( ) | a|b : $ $a$ ==a {a } ^a < > <b>
  </b> <b <b·c=" <b·c='d'· <b><p> <!-- --> </ <? <!A <![CDATA[ <a@b.c> <http://a> http://a.b/· http://a.b/(
  www.a.b· www. a@b.c· a@ a. &amp; &#1; & ··¶ é 一 <font·id=a> <i><table> <svg><g> <div> <a>`),
  ...list('` ``· e`a ``a``'),
  ...['\t', '\ta', '\0', '\u0301', '\u00a0'],
];

/** The constructs that begin a line. `#` is the number of the line. */
const blocks = [
  ...list(String.raw`
  a #·a a¶= a¶- # = - --- *** >·a > -·a - +·a *·a 1.·a 1)·a #.·a -·[·]·a -·a¶¶··b -·>·a >·-·a 1.·-·a -·-·a ····a
  ~~~ [#]:·/u [#]:·/u·"a [#]:·<u [^#]:·a a[^#]¶¶[^#]:·b [^1] [0] [a]:·/u¶" [a a·|·b | |a|b|¶|-|-| |-|-|
  a|b¶-|-¶c|d a¶:- <div> </div> <div>¶¶*a*¶¶</div> <table><tr><td> <!--·a·--> <!-- <script> <pre> <p <?a <b> $$
  :::a ::a Term¶:·a +++ ---¶a:·b \ & <details><summary>`),
  ...list('```¶a¶``` ```js ```·a¶b¶``` |·a·|·<b>·|·`c`·|'),
];

/** Where a construct is: in a line, a row, a quote, a list, and nested. */
const joints = ['', ...list('· ¶ ¶¶ ¶>· ¶-· ¶·· ¶···· ¶>¶ ¶|· ¶¶>· ¶¶-· ¶¶····')];

/** The first lines of a document, which change what the rest means. */
const starts = [
  ...list(
    '>· -· ···· <div>¶ <!--¶¶ [0]:·/u·"title"¶¶ |a|b|¶|-|-|¶| #·a¶¶ 1.·a¶¶··· [^1]:·a¶¶[^1]¶¶ [a]:·<x $$¶',
  ),
  '```js\n',
  '> '.repeat(20),
  '- '.repeat(20),
  `${'|a'.repeat(200)}|\n${'|-'.repeat(200)}|\n`,
];

export interface Recipe {
  start: string;
  parts: readonly string[];
  joint: string;
  /** How the parts follow each other: in turns, one after the other, or growing. */
  order: 'mixed' | 'halves' | 'growing' | 'deeper' | 'lines';
  size: number;
}

/** Makes a document of a size in characters. */
export function documentOf({ start, parts, joint, order, size }: Recipe): string {
  const rows: string[] = [];
  let length = start.length;
  for (let at = 0; length < size; at += 1) {
    const isHalves = order === 'halves';
    const index = isHalves ? Math.floor((length / size) * parts.length) : at % parts.length;
    const part = parts[index] ?? '';
    const row = rowOf(numbered(part, at), at, order);
    rows.push(row);
    length += row.length + joint.length;
  }
  return (start + rows.join(joint)).slice(0, size);
}

/** Writes the number of a row for each `#` of a construct, unless it is that of a heading. */
function numbered(part: string, at: number): string {
  return part === '#' || part === '# a' ? part : part.replaceAll('#', String(at));
}

function rowOf(part: string, at: number, order: Recipe['order']): string {
  if (order === 'growing') return part + part.slice(-1).repeat(at % 1000);
  if (order === 'deeper') return ' '.repeat(2 * (at % 500)) + part;
  if (order === 'lines') return part.repeat(Math.max(1, Math.floor(500 / part.length)));
  return part;
}

/** Documents of constructs, alone, nested and mixed. */
export function recipes(maxSize: number): fc.Arbitrary<Recipe> {
  return fc.record({
    start: fc.oneof(fc.constant(''), fc.constantFrom(...starts)),
    parts: fc.array(fc.constantFrom(...inline, ...blocks), { minLength: 1, maxLength: 3 }),
    joint: fc.constantFrom(...joints),
    order: fc.constantFrom('mixed', 'mixed', 'halves', 'growing', 'deeper', 'lines'),
    size: fc
      .integer({ min: 0, max: 100 })
      .map((share) => Math.round(10_000 * (maxSize / 10_000) ** (share / 100))),
  });
}
