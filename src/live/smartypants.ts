import type { Nodes } from 'mdast';
import { visit } from 'unist-util-visit';

const opensAfter = /^$|[\s\p{Ps}\p{Pi}\p{Pd}]$/u;

/** Sets quotes, dashes and ellipses as Astro's Markdown does by default. It changes the tree. */
export function smarten(tree: Nodes): void {
  let before = '';
  visit(tree, (node) => {
    if (node.type === 'text') {
      node.value = smart(node.value, before);
      before = node.value.slice(-1);
    } else if (node.type === 'inlineCode') before = node.value.slice(-1);
    else if (node.type === 'break') before = ' ';
    else if ('children' in node && !isPhrasing(node)) before = '';
  });
}

function isPhrasing({ type }: Nodes): boolean {
  return type === 'emphasis' || type === 'strong' || type === 'delete' || type.startsWith('link');
}

/** `before` is what stands before the text, on the same line: a quote opens or closes by it. */
function smart(text: string, before: string): string {
  const shown = text.replace(/-{2,}/g, dashes).replaceAll('...', '…');
  let last = { end: 0, sign: before };
  return shown.replace(/["']/g, (straight, at: number) => {
    const left = at === last.end ? last.sign : shown.charAt(at - 1);
    const sign = quote(straight, { left, right: shown.charAt(at + 1) });
    last = { end: at + 1, sign };
    return sign;
  });
}

/** Three make an em dash, two an en dash, and any number is made of as many alike as can be. */
function dashes({ length }: string): string {
  if (length % 3 === 0) return '—'.repeat(length / 3);
  if (length % 2 === 0) return '–'.repeat(length / 2);
  return '—'.repeat(Math.floor((length - 2) / 3)) + '–'.repeat(length % 3 === 1 ? 2 : 1);
}

function quote(straight: string, { left, right }: { left: string; right: string }): string {
  const isYear = straight === "'" && /\d/.test(right);
  const opens = opensAfter.test(left) && !/\s/.test(right) && !isYear;
  if (straight === '"') return opens ? '“' : '”';
  return opens ? '‘' : '’';
}
