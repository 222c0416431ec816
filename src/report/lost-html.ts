import type { RenderedVersion } from '../load/article-version.ts';
import { nameArticles, quote } from '../messages.ts';
import { type DroppedHtml, droppedKinds } from '../shared/dropped-html.ts';

/** The number of parts that are named. */
const maxNamedParts = 20;

/** A kind of HTML that was removed. */
interface LostPart extends Pick<DroppedHtml, 'kind'> {
  words: string;
  /** The ids of its articles. */
  ids: readonly string[];
}

/** Returns what was removed from articles, what readers miss most first. */
export function collectLost(versions: readonly RenderedVersion[]): LostPart[] {
  const all = versions.flatMap(({ article: { id, renderings } }) =>
    (renderings[0]?.dropped ?? []).map((part) => ({ id, kind: part.kind, words: wordsFor(part) })),
  );
  const groups = Map.groupBy(all, ({ words }) => words);
  const lost = [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map((part) => ({ ...part, ids: [...new Set(group.map(({ id }) => id))] })),
  );
  const rankOf = ({ kind }: LostPart) => droppedKinds.indexOf(kind);
  return lost.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || b.ids.length - a.ids.length || (a.words < b.words ? -1 : 1),
  );
}

/** Names the first parts, or all, and their articles. */
export function describeLost(lost: readonly LostPart[], isVerbose: boolean): string {
  const max = isVerbose ? lost.length : maxNamedParts;
  const parts = lost
    .slice(0, max)
    .map(
      ({ words, ids }) => `${words} in ${nameArticles(ids, isVerbose ? ids.length : undefined)}`,
    );
  const more = lost.length - max;
  const rest = more > 0 ? [`${more} more, which a load with ARTICLES_DEBUG=1 names`] : [];
  return [...parts, ...rest].join('; ');
}

/** What is said of kinds behind the names. */
const endings: Partial<Record<DroppedHtml['kind'], string>> = {
  'stray item': ' outside of a list',
  drawing: ' in a drawing or formula',
  value: ' (a part of its value)',
  'text with a tag': ' with a tag in it',
};

function wordsFor({ kind, name, on, host, scheme }: DroppedHtml): string {
  if (kind === 'others') return 'more kinds of parts than are named';
  const place = on === undefined ? `<${nameOf(name)}>` : `${nameOf(name)} on <${nameOf(on)}>`;
  const source = host === undefined ? '' : ` of ${nameOf(host)}`;
  const address = scheme === undefined ? '' : ` with ${nameOf(scheme)}:`;
  return place + source + address + (endings[kind] ?? '');
}

/** Quotes a name that an author may have chosen, which could be a sentence in the message. */
function nameOf(name: string): string {
  return /^[a-z\d]+(?:[.:_-]+[a-z\d]+)*$/i.test(name) ? name : quote(name);
}
