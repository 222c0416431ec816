import type { Options, postprocess } from 'micromark';

export type HtmlExtension = NonNullable<Options['htmlExtensions']>[number];
/** The result of micromark's parser: the starts and ends of tokens. */
export type Events = ReturnType<typeof postprocess>;

/** Tokens in which Astro's renderer pairs quotes, in each on its own. */
const scopes = new Set([
  ...['paragraph', 'atxHeading', 'setextHeading', 'tableHeader', 'tableData'],
  ...['link', 'image', 'strikethrough'],
]);
/** Tokens whose text is not prose. */
const opaque = new Set([
  ...['resource', 'reference', 'definition', 'codeFencedFence'],
  ...['gfmFootnoteCall', 'gfmFootnoteDefinitionLabel'],
]);

interface OpenQuotes {
  isDouble: boolean;
  /** The offset of a single quote that is an opening one if another closes it. */
  single: number | undefined;
}

const replaced = /["']|-{2,}|\.{3}/g;

/** Replaces quotes, dashes and dots by typographic ones, by the same rules as Astro. */
export function typography(source: string, events: Events): HtmlExtension {
  const signs = findSigns(source, events);
  return {
    exit: {
      data(token) {
        const { offset } = token.start;
        const text = this.sliceSerialize(token);
        const smart = text.replace(replaced, (sign, at) => signs.get(offset + at) ?? sign);
        this.raw(this.encode(smart));
      },
    },
  };
}

/** Finds the typographic signs by offset, in prose: not in escaped characters, entities, code and URLs. */
function findSigns(source: string, events: Events): ReadonlyMap<number, string> {
  const signs = new Map<number, string>();
  const open: OpenQuotes[] = [];
  let opaqueDepth = 0;
  for (const [kind, { type, start, end }] of events) {
    if (opaque.has(type)) opaqueDepth += kind === 'enter' ? 1 : -1;
    else if (scopes.has(type)) {
      if (kind === 'enter') open.push({ isDouble: false, single: undefined });
      else open.pop();
    }
    const scope = open.at(-1);
    if (kind === 'exit' || type !== 'data' || opaqueDepth > 0 || !scope) continue;
    for (const { 0: sign, index } of source.slice(start.offset, end.offset).matchAll(replaced)) {
      const at = start.offset + index;
      if (sign === '"') signs.set(at, double(scope, sidesOf(source, at)));
      else if (sign === "'") single(signs, { scope, at, sides: sidesOf(source, at) });
      else signs.set(at, sign.startsWith('-') ? dashes(sign) : '…');
    }
  }
  return signs;
}

/** Three make an em dash, two an en dash, and any number is made of as many of one kind as possible. */
function dashes({ length }: string): string {
  if (length % 3 === 0) return '—'.repeat(length / 3);
  if (length % 2 === 0) return '–'.repeat(length / 2);
  return '—'.repeat(Math.floor((length - 2) / 3)) + '–'.repeat(length % 3 === 1 ? 2 : 1);
}

interface Sides {
  before: string;
  after: string;
  /** Whether the character is left-flanking or right-flanking (CommonMark 0.31, 6.2). */
  isLeft: boolean;
  isRight: boolean;
}

const space = /^\s?$/;
const sign = /[\p{P}\p{S}]/u;

function sidesOf(source: string, at: number): Sides {
  const before = characterBefore(source, at);
  const after = String.fromCodePoint(source.codePointAt(at + 1) ?? 0x20);
  const isLeft =
    !space.test(after) && (!sign.test(after) || space.test(before) || sign.test(before));
  const isRight =
    !space.test(before) && (!sign.test(before) || space.test(after) || sign.test(after));
  return { before, after, isLeft, isRight };
}

/** Returns the character before an offset; none after the `>` of a block quote. */
function characterBefore(source: string, at: number): string {
  const before = source[at - 1] ?? '';
  if (before === '>' && /(?:^|[\r\n])[ \t>]*$/.test(source.slice(Math.max(0, at - 100), at)))
    return '';
  return /[\udc00-\udfff]/.test(before) ? source.slice(Math.max(0, at - 2), at) : before;
}

function double(scope: OpenQuotes, { before, isLeft, isRight }: Sides): string {
  if (scope.isDouble && isRight) {
    scope.isDouble = false;
    return '”';
  }
  // After a digit, it is a unit: inches.
  const opens = isLeft && !/\d/.test(before);
  scope.isDouble ||= opens;
  return opens || !isRight ? '“' : '”';
}

function single(
  signs: Map<number, string>,
  { scope, at, sides }: { scope: OpenQuotes; at: number; sides: Sides },
): void {
  const { before, after, isLeft, isRight } = sides;
  if (scope.single !== undefined && isRight && (!isLeft || sign.test(after))) {
    signs.set(scope.single, '‘');
    scope.single = undefined;
  } else if (isLeft && (!isRight || sign.test(before)) && !/[)\]]/.test(before)) scope.single = at;
  signs.set(at, '’');
}
