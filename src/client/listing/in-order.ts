/**
 * Returns the ids of all articles in one order: that of a listing, and each known article that the listing lacks at the
 * place that it had among its neighbours.
 *
 * @param known ids in the order of another listing
 */
export function inOrder(listed: readonly string[], known: readonly string[]): string[] {
  const isListed = new Set(listed);
  const first = known.find((id) => isListed.has(id));
  let neighbour: string | undefined;
  // Each group begins with the listed article that the others follow.
  const groups = Map.groupBy(known, (id) => {
    if (isListed.has(id)) neighbour = id;
    return neighbour;
  });
  const before = groups.get(undefined) ?? [];
  const inPlace = listed.flatMap((id) => [
    ...(id === first ? before : []),
    ...(groups.get(id) ?? [id]),
  ]);
  return first === undefined ? [...inPlace, ...before] : inPlace;
}
