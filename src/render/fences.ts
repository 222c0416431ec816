/** The lines of a Markdown text, and its fenced code blocks. */
export interface Lines {
  /** Lines and line endings, in turn. */
  parts: string[];
  /** For each line, whether it may be in a fenced code block. */
  isCode: boolean[];
  /** The fences that have an info string. */
  fences: Fence[];
}

/** The start or the end of a fenced code block. */
export interface Fence {
  line: number;
  indent: string;
  mark: string;
  info: string;
  /** Whether no other fence can be open around it. */
  isCertain: boolean;
  /**
   * An upper bound of the cost of highlighting its code: the cubes of the lengths of its lines, and their
   * open brackets.
   */
  cost: number;
}

// The flag `s` lets `.` match U+2028 and U+2029, which do not end a line of Markdown.
const fenceLine =
  /^((?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[\^[^\]\s]+\]:)*)(`{3,}|~{3,})(.*)$/s;
const maxOpenFences = 100;

/**
 * Finds fenced code blocks (CommonMark 0.31, 4.5), also in lists and quotes. Where it is not certain that a
 * fence is closed, it counts as open.
 */
export function scanLines(content: string): Lines {
  const parts = content.split(/(\r\n|\r|\n)/);
  const isCode: boolean[] = [];
  const fences: Fence[] = [];
  let open: Fence[] = [];
  let brackets = 0;
  for (let line = 0; line * 2 < parts.length; line += 1) {
    const text = parts[line * 2] ?? '';
    const fence = fenceAt(line, text);
    const isBare = fence?.info.trim() === '';
    const wasOpen = open.length > 0;
    open = open.filter((each) => !isLeft(each, text) && !(isBare && isClosedBy(each, fence)));
    isCode.push(wasOpen || fence !== undefined);
    brackets = open.length > 0 ? Math.max(0, brackets + bracketsIn(text)) : 0;
    for (const each of open) each.cost += text.length ** 3 + 100 * brackets * (text.length + 1);
    if (!fence || (isBare && wasOpen)) continue;
    fence.isCertain = open.length === 0;
    if (!isBare) fences.push(fence);
    open.push(fence);
    if (open.length <= maxOpenFences) continue;
    // Code with so many unclosed fences is not highlighted.
    for (const each of open) each.cost = Number.POSITIVE_INFINITY;
    open = [];
  }
  return { parts, isCode, fences };
}

function fenceAt(line: number, text: string): Fence | undefined {
  const [, indent = '', mark = '', info = ''] = fenceLine.exec(text) ?? [];
  if (mark === '' || (mark.startsWith('`') && info.includes('`'))) return undefined;
  return { line, indent, mark, info, isCertain: false, cost: 0 };
}

/** Whether a line is certainly outside the list item or quote that a fence is in. */
function isLeft({ indent }: Fence, text: string): boolean {
  if (text.trim() === '' || !/[^ \t]/.test(indent)) return false;
  if (indent.includes('>')) return !/^ {0,3}>/.test(text);
  return text.length - text.trimStart().length < indent.length;
}

function isClosedBy(open: Fence, { indent, mark }: Fence): boolean {
  return (
    mark.startsWith(open.mark) &&
    /^[ >]*$/.test(indent) &&
    indent.length <= open.indent.length &&
    quotesIn(indent) <= quotesIn(open.indent)
  );
}

const quotesIn = (indent: string) => indent.split('>').length - 1;

function bracketsIn(text: string): number {
  return (text.match(/[([{<]/g)?.length ?? 0) - (text.match(/[)\]}>]/g)?.length ?? 0);
}
