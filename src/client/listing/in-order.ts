/**
 * Returns the ids of all articles in one order: that of a listing, and each known article that the listing lacks at the
 * place that it had among its neighbours.
 *
 * @param known ids in the order of another listing
 */
export function inOrder(listed: readonly string[], known: readonly string[]): string[] {
  const isListed = new Set(listed);
  const first = known.find((id) => isListed.has(id));
  const before: string[] = [];
  const after = new Map<string, string[]>();
  let neighbour: string | undefined;
  for (const id of known) {
    if (isListed.has(id)) neighbour = id;
    else if (neighbour === undefined) before.push(id);
    else if (!after.get(neighbour)?.push(id)) after.set(neighbour, [id]);
  }
  const inPlace = listed.flatMap((id) => [
    ...(id === first ? before : []),
    id,
    ...(after.get(id) ?? []),
  ]);
  return first === undefined ? [...inPlace, ...before] : inPlace;
}
