import type { RenderedVersion } from '../load/article-version.ts';
import type { DroppedHtml } from '../shared/dropped-html.ts';

/** What was dropped from some articles: the same attribute of several elements is one part. */
export interface LostPart extends Pick<DroppedHtml, 'kind' | 'name' | 'host' | 'scheme'> {
  /** The elements that had the attribute. */
  tags: readonly string[];
  /** The ids of the articles. */
  ids: readonly string[];
}

/** Returns what was dropped, that first which a reader of the articles misses most, then what most articles have. */
export function collectLost(versions: readonly RenderedVersion[]): LostPart[] {
  const all = versions.flatMap(({ article: { id, renderings } }) =>
    (renderings[0]?.dropped ?? []).map((part) => ({ ...part, id })),
  );
  const groups = Map.groupBy(all, keyOf);
  const lost = [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ kind, name, host, scheme }) => ({
      ...{ kind, name, host, scheme },
      tags: [...new Set(group.flatMap(({ on }) => on ?? []))].toSorted(),
      ids: [...new Set(group.map(({ id }) => id))],
    })),
  );
  return lost.toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) || b.ids.length - a.ids.length || (keyOf(a) < keyOf(b) ? -1 : 1),
  );
}

function keyOf({ kind, name, host, scheme }: Pick<LostPart, 'kind' | 'name' | 'host' | 'scheme'>) {
  return JSON.stringify([name, kind, host, scheme]);
}

const ranks: readonly ((part: LostPart) => boolean)[] = [
  ({ kind }) => kind === 'frame',
  ({ kind }) => kind === 'element' || kind === 'stray item' || kind === 'drawing',
  ({ kind, name }) => kind === 'url' && name !== 'href',
  ({ kind }) => kind === 'url',
  ({ name }) => name === 'style',
  ({ kind, name }) => kind !== 'others' && !name.startsWith('data-'),
  ({ kind }) => kind !== 'others',
];

function rankOf(part: LostPart): number {
  const rank = ranks.findIndex((isOfRank) => isOfRank(part));
  return rank < 0 ? ranks.length : rank;
}
