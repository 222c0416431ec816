import type { Parent, ParsedHtml } from '../parse-html.ts';
import type { Policy } from '../policy.ts';
import { replaceLazyImages } from './lazy-images.ts';
import { linkEmbeds } from './oembed.ts';
import { moveRatiosToFrames } from './ratio-box.ts';

interface Habit {
  /** Matches each text that may have it, so that few articles are searched for it. */
  sign: RegExp;
  /** An element that the site may list in `sanitize.tags`, and that is then its own. */
  tag?: string;
  change: (tree: Parent) => void;
}

const habits: readonly Habit[] = [
  { sign: /<noscript/i, change: replaceLazyImages },
  { sign: /<iframe/i, change: moveRatiosToFrames },
  { sign: /<oembed/i, tag: 'oembed', change: linkEmbeds },
];

/**
 * Changes what editors and their plugins write for the scripts and styles of their own pages into HTML that shows the same
 * without them. Changes the tree.
 */
export function changeEditorHtml({ tree, text }: ParsedHtml, { allowList }: Policy): void {
  for (const { sign, tag, change } of habits) {
    const isListed = tag !== undefined && allowList?.tags?.includes(tag);
    if (!isListed && sign.test(text)) change(tree);
  }
}
