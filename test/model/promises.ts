import { keyOf, plain, step } from './life.ts';
import { join, type LoadAction, type Seen, type World } from './rules.ts';

// The promises P1, P2, P5, P7 and P9 of docs/architecture.md, as invariants of each step of the model.

const isEqual = (a: unknown, b: unknown) => keyOf(a) === keyOf(b);

/** Returns the promises that a load breaks. */
export function brokenPromises(
  before: World,
  action: LoadAction,
  world: World,
  seen: Seen,
): string[] {
  const broken: string[] = [];
  const demand = (isKept: boolean, promise: string) => {
    if (!isKept) broken.push(promise);
  };
  const isAlone = action.other === undefined;
  const listed = world.service.filter(({ isListed }) => isListed);
  const newest = world.isNewest ? listed.slice(0, 2) : listed;
  const wanted = newest.filter(({ text }) => text > 0);

  const isCommitted = ['clean', 'publish'].includes(action.ends ?? '');
  const isFailure = !['synced', 'kept'].includes(seen.outcome);
  if (isFailure && isAlone && !isCommitted) {
    const parts = ({ mirror: { history: _, ...mirror }, store, published }: World) => [
      ...[mirror, store, published],
    ];
    demand(isEqual(parts(before), parts(world)), 'P1: a load that fails changes nothing');
  }

  if (seen.outcome === 'synced') {
    const isQuiet = action.reading === 'complete' && newest.every(({ isUsable }) => isUsable);
    if (isQuiet && isAlone) {
      const exact = wanted.map(({ id, title, text }) => ({ id, title, text }));
      demand(isEqual(seen.entries, exact), 'P2: the collection is exactly the listing');
      const again = step({ ...world, site: 'missing' }, plain).seen;
      const isFree = again?.requested.length === 0 && again.rendered === 0;
      demand(isFree, 'P5: what is unchanged costs nothing');
    }
    const shown = seen.entries.map(({ id }) => id);
    const isLost = before.mirror.articles.some(({ id, text }) => {
      const isThere = wanted.some((article) => article.id === id && article.isUsable);
      return text > 0 && isThere && !shown.includes(id);
    });
    demand(!isLost, 'P7: an article that the service lists stays');
  }

  const { pages, history = {}, entries } = seen;
  if (!pages) return broken;
  const isRead = action.command !== 'offline' && before.site === 'whole';
  const known = join(isRead ? before.published : {}, before.mirror.history);
  const isLost = entries.some(({ id }) =>
    before.reached[id]?.some((slug) => known[id]?.includes(slug) && !(slug in pages)),
  );
  demand(!isLost, 'P9: a published URL of an article keeps working');
  const published = [...Object.keys(pages), ...Object.values(history).flat()];
  const isSeen = published.every((slug) => world.shown.includes(slug));
  demand(isSeen, 'P9: nothing becomes public that no build has shown');
  return broken;
}
