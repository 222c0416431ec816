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

interface OpenFence {
  fence: Fence | undefined;
  mark: string;
  /** The numbers of quote marks and of columns before it. */
  quotes: number;
  width: number;
  isInContainer: boolean;
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
  let spent = 0;
  let depth = 0;
  const close = (isClosed: (fence: OpenFence) => boolean) => {
    for (const { fence } of open.filter(isClosed)) if (fence) fence.cost += spent;
    open = open.filter((each) => !isClosed(each));
  };

  for (let line = 0; line * 2 < parts.length; line += 1) {
    const text = parts[line * 2] ?? '';
    const [, indent = '', mark = '', info = ''] = fenceLine.exec(text) ?? [];
    const isFence = mark !== '' && !(mark.startsWith('`') && info.includes('`'));
    const before = open.length;
    if (before > 0 && text.trim() !== '') close((fence) => isLeft(fence, text));
    if (isFence && info.trim() === '') close((fence) => isClosedBy(fence, indent, mark));
    lines.isCode.push(open.length > 0 || before > 0 || isFence);
    if (open.length > 0) {
      depth = Math.max(0, depth + bracketsIn(text));
      spent += text.length ** 3 + 100 * depth * (text.length + 1);
    } else depth = 0;
    if (!isFence || (info.trim() === '' && before > 0)) continue;
    const isCertain = open.length === 0;
    const fence = info.trim() ? { line, indent, mark, info, isCertain, cost: -spent } : undefined;
    if (fence) lines.fences.push(fence);
    const [quotes, width] = [indent.split('>').length - 1, indent.length];
    open.push({ fence, mark, quotes, width, isInContainer: /[^ \t]/.test(indent) });
    // The code of a text with so many unclosed fences is not highlighted.
    if (open.length > maxOpenFences) {
      spent = Number.POSITIVE_INFINITY;
      close(() => true);
    }
  }
  close(() => true);
  return lines;
}

/** Whether a line is certainly outside the list item or quote that a fence is in. */
function isLeft({ isInContainer, quotes, width }: OpenFence, text: string): boolean {
  if (!isInContainer) return false;
  if (quotes > 0) return !/^ {0,3}>/.test(text);
  return text.length - text.trimStart().length < width;
}

function isClosedBy(fence: OpenFence, indent: string, mark: string): boolean {
  return (
    mark[0] === fence.mark[0] &&
    mark.length >= fence.mark.length &&
    /^[ >]*$/.test(indent) &&
    indent.length <= fence.width &&
    indent.split('>').length - 1 <= fence.quotes
  );
}

function bracketsIn(text: string): number {
  return (text.match(/[([{<]/g)?.length ?? 0) - (text.match(/[)\]}>]/g)?.length ?? 0);
}
