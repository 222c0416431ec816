import type { Notice } from '../errors.ts';
import type { RenderedVersion } from '../load/article-version.ts';
import { joinSome, quote } from '../messages.ts';
import type { SanitizeOption } from '../shared/sanitize-option.ts';
import { collectLost, type LostPart } from './lost-parts.ts';
import { adviceOnSanitize } from './sanitize-advice.ts';

/** The number of parts that are named, besides frames, and of the elements of each. */
const maxParts = 20;
const maxFrames = 100;
const maxTags = 3;

/**
 * Describes in one notice the HTML that was dropped from articles, and the option that keeps it.
 *
 * @param isVerbose whether all of it is named, with all articles
 */
export function describeDropped(
  versions: readonly RenderedVersion[],
  { sanitize, isVerbose }: { sanitize: SanitizeOption; isVerbose: boolean },
): Notice | undefined {
  const lost = collectLost(versions);
  if (lost.length === 0) return undefined;
  const ids = [...new Set(lost.flatMap((part) => part.ids))];
  const from = ids.length === 1 ? `article ${ids.map(quote)}` : `${ids.length} articles`;
  const count = lost.filter(({ kind }) => kind === 'frame').length;
  const max = isVerbose ? lost.length : Math.min(count, maxFrames) + maxParts;
  const describe = (part: LostPart) =>
    ids.length === 1
      ? wordsFor(part, isVerbose)
      : `${wordsFor(part, isVerbose)} (in ${nameArticles(part, isVerbose)})`;
  const rest = lost.length > max ? `; and ${lost.length - max} more` : '';
  const parts = lost.slice(0, max).map(describe).join('; ');
  const sentences = [
    `HTML that is not allowed was dropped from ${from}: ${parts}${rest}.`,
    ...adviceOnSanitize(lost, sanitize),
  ];
  return { kind: 'other', ids, text: sentences.join(' ') };
}

function wordsFor(part: LostPart, isVerbose: boolean): string {
  const { kind, name, host, scheme, tags } = part;
  const max = isVerbose ? tags.length : maxTags;
  const on = tags.length > 0 ? ` on ${joinSome(tags, max)}` : '';
  switch (kind) {
    case 'frame':
      return host === undefined ? name : `${name} ${host}`;
    case 'element':
      return `<${name}>`;
    case 'stray item':
      return `<${name}> outside of a list`;
    case 'drawing':
      return `<${name}> in a drawing or formula`;
    case 'attribute':
    case 'id':
      return `${name}${on}`;
    case 'value':
      return `values of ${name}${on}`;
    case 'text with a tag':
      return `${name} with a tag in it${on}`;
    case 'url':
      return scheme === undefined ? `relative ${name}${on}` : `${name} with ${scheme}:${on}`;
    case 'others':
      return 'more kinds of parts than are named';
  }
}

/** Returns how many articles have a part, and which. */
function nameArticles({ ids }: LostPart, isVerbose: boolean): string {
  const names = ids.map(quote);
  if (isVerbose || names.length === 1) return names.join(', ');
  return `${names.length} articles, such as ${names[0]}`;
}
