/** The lines of a Markdown text, and its fenced code blocks. */
export interface Lines {
  /** Characters of the text. */
  length: number;
  /** Lines and line endings, in turn. */
  parts: string[];
  /** For each line, whether it may be in a fenced code block. */
  isCode: boolean[];
  fences: Fence[];
}

/** The start of a fenced code block that has an info string. */
export interface Fence {
  /** Its line. */
  line: number;
  indent: string;
  mark: string;
  info: string;
  /** Whether no other fence can be open around it. */
  isCertain: boolean;
  /**
   * An upper bound of the cost of highlighting its lines: the cubes of their lengths, and their open
   * brackets.
   */
  cost: number;
}

/** The parts of a line that begins or ends a fenced code block. */
interface FenceLine {
  indent: string;
  mark: string;
  info: string;
  /** Whether it has no info string, and so may end a block. */
  isBare: boolean;
  /** Quote marks before the fence. */
  quotes: number;
}

/** A fence that may not be closed yet. */
interface OpenFence {
  start: FenceLine;
  /** Absent for a fence without an info string. */
  fence: Fence | undefined;
  /** The cost of all code before it. */
  costBefore: number;
}

// With `s`, because U+2028 and U+2029 end no line of Markdown.
const fenceLine =
  /^((?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[\^[^\]\s]+\]:)*)(`{3,}|~{3,})(.*)$/s;
const maxOpenFences = 100;

/**
 * Finds fenced code blocks (CommonMark 0.31, 4.5), also in lists and quotes. Where it is not certain that a
 * fence is closed, it counts as open.
 */
export function scanLines(content: string): Lines {
  const parts = content.split(/(\r\n|\r|\n)/);
  const lines: Lines = { length: content.length, parts, isCode: [], fences: [] };
  let open: OpenFence[] = [];
  /** The cost of all code so far, and its open brackets. */
  let cost = 0;
  let brackets = 0;
  const close = (isClosed: (each: OpenFence) => boolean) => {
    for (const { fence, costBefore } of open.filter(isClosed)) {
      if (fence) fence.cost = cost - costBefore;
    }
    open = open.filter((each) => !isClosed(each));
  };

  for (let line = 0; line * 2 < parts.length; line += 1) {
    const text = parts[line * 2] ?? '';
    const start = parseFenceLine(text);
    const wasOpen = open.length > 0;
    if (wasOpen && text.trim() !== '') close((each) => isLeft(each, text));
    if (start?.isBare) close((each) => isClosedBy(each, start));
    lines.isCode.push(open.length > 0 || wasOpen || start !== undefined);
    brackets = open.length > 0 ? Math.max(0, brackets + bracketsIn(text)) : 0;
    if (open.length > 0) cost += text.length ** 3 + 100 * brackets * (text.length + 1);
    if (!start || (start.isBare && wasOpen)) continue;
    const { indent, mark, info } = start;
    const isCertain = open.length === 0;
    const fence = start.isBare ? undefined : { line, indent, mark, info, isCertain, cost: 0 };
    if (fence) lines.fences.push(fence);
    open.push({ start, fence, costBefore: cost });
    if (open.length <= maxOpenFences) continue;
    // Code with so many unclosed fences is not highlighted.
    for (const each of open) if (each.fence) each.fence.cost = Number.POSITIVE_INFINITY;
    open = [];
  }
  close(() => true);
  return lines;
}

function parseFenceLine(text: string): FenceLine | undefined {
  const [, indent = '', mark = '', info = ''] = fenceLine.exec(text) ?? [];
  if (mark === '' || (mark.startsWith('`') && info.includes('`'))) return undefined;
  return { indent, mark, info, isBare: info.trim() === '', quotes: indent.split('>').length - 1 };
}

/** Whether a line is certainly outside the list item or quote that a fence is in. */
function isLeft({ start: { indent, quotes } }: OpenFence, text: string): boolean {
  if (!/[^ \t]/.test(indent)) return false;
  if (quotes > 0) return !/^ {0,3}>/.test(text);
  return text.length - text.trimStart().length < indent.length;
}

function isClosedBy({ start }: OpenFence, { indent, mark, quotes }: FenceLine): boolean {
  return (
    mark[0] === start.mark[0] &&
    mark.length >= start.mark.length &&
    /^[ >]*$/.test(indent) &&
    indent.length <= start.indent.length &&
    quotes <= start.quotes
  );
}

function bracketsIn(text: string): number {
  return (text.match(/[([{<]/g)?.length ?? 0) - (text.match(/[)\]}>]/g)?.length ?? 0);
}
