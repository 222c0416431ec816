import type { Notice } from '../errors.ts';
import type { RenderedVersion } from '../load/article-version.ts';
import { quote } from '../messages.ts';
import { type DroppedHtml, droppedKinds } from '../shared/dropped-html.ts';
import type { SanitizeOption } from '../shared/sanitize-option.ts';
import { adviceOnSanitize } from './sanitize-advice.ts';

/** The number of parts that are named. */
const maxNamedParts = 20;

/** A part of HTML that was dropped from some articles. */
interface LostPart {
  part: DroppedHtml;
  words: string;
  /** The ids of the articles. */
  ids: readonly string[];
}

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
  const ids = [...new Set(lost.flatMap((each) => each.ids))];
  const from = ids.length === 1 ? `article ${ids.map(quote)}` : `${ids.length} articles`;
  const named = isVerbose ? lost : lost.slice(0, maxNamedParts);
  const parts = named.map(({ words, ids: some }) =>
    ids.length === 1 ? words : `${words} (in ${nameArticles(some, isVerbose)})`,
  );
  const rest = lost.length - named.length;
  const more = rest > 0 ? `; and ${rest} more, which a load with ARTICLES_DEBUG=1 names` : '';
  const advice = adviceOnSanitize(
    named.map(({ part }) => part),
    sanitize,
  );
  const text = `HTML that is not allowed was dropped from ${from}: ${parts.join('; ')}${more}.`;
  return { kind: 'other', ids, text: [text, ...advice].join(' ') };
}

/** Returns what was dropped, sorted by kind, then by the number of articles that have it. */
function collectLost(versions: readonly RenderedVersion[]): LostPart[] {
  const all = versions.flatMap(({ article: { id, renderings } }) =>
    (renderings[0]?.dropped ?? []).map((part) => ({ id, part, words: wordsFor(part) })),
  );
  const groups = [...Map.groupBy(all, ({ words }) => words).values()];
  const lost = groups.flatMap((group) =>
    group.slice(0, 1).map(({ part, words }) => ({
      ...{ part, words },
      ids: [...new Set(group.map(({ id }) => id))],
    })),
  );
  const rankOf = ({ part }: LostPart) => droppedKinds.indexOf(part.kind);
  return lost.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || b.ids.length - a.ids.length || (a.words < b.words ? -1 : 1),
  );
}

function wordsFor({ kind, name, on, host, scheme }: DroppedHtml): string {
  const place = on === undefined ? '' : ` on ${on}`;
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
      return name + place;
    case 'value':
      return `values of ${name}${place}`;
    case 'text with a tag':
      return `${name} with a tag in it${place}`;
    case 'url':
      return scheme === undefined ? `relative ${name}${place}` : `${name} with ${scheme}:${place}`;
    case 'others':
      return 'more kinds of parts than are named';
  }
}

/** Returns how many articles have a part, and which. */
function nameArticles(ids: readonly string[], isVerbose: boolean): string {
  const names = ids.map(quote);
  if (isVerbose || names.length === 1) return names.join(', ');
  return `${names.length} articles, such as ${names[0]}`;
}
