import type { RenderedVersion } from '../load/article-version.ts';
import { nameArticles, quote } from '../messages.ts';
import { type DroppedHtml, droppedKinds } from '../shared/dropped-html.ts';

/** The number of parts that are named. */
const maxNamedParts = 20;

/**
 * Names the parts that were removed from articles, what readers miss most first, and these articles. Names the first parts
 * only, or all. Empty if nothing was removed.
 */
export function describeLost(versions: readonly RenderedVersion[], isVerbose: boolean): string {
  const all = versions.flatMap(({ article: { id, renderings } }) =>
    (renderings[0]?.dropped ?? []).map((part) => ({
      id,
      rank: droppedKinds.indexOf(part.kind),
      words: wordsFor(part),
    })),
  );
  const lost = [...Map.groupBy(all, ({ words }) => words)]
    .map(([words, group]) => ({
      words,
      rank: group[0]?.rank ?? 0,
      ids: [...new Set(group.map(({ id }) => id))],
    }))
    .toSorted((a, b) => a.rank - b.rank || b.ids.length - a.ids.length);
  const shown = isVerbose ? lost : lost.slice(0, maxNamedParts);
  const parts = shown.map(
    ({ words, ids }) => `${words} in ${nameArticles(ids, isVerbose ? ids.length : undefined)}`,
  );
  const more = lost.length - shown.length;
  if (more > 0) parts.push(`${more} more, which a load with ARTICLES_DEBUG=1 names`);
  return parts.join('; ');
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
