import type { DroppedHtml } from '../shared/dropped-html.ts';

/** The number of different parts that are named, and the number of characters of each name. */
const maxParts = 500;
const maxLength = 80;

/** The parts of a text that are not kept, each once. */
export type DroppedParts = Map<string, DroppedHtml>;

const others: DroppedHtml = { kind: 'others', name: '' };

/** Adds a part that is not kept, while there are few of them. */
export function addDropped(dropped: DroppedParts, part: DroppedHtml): void {
  const short = shorten(part);
  const key = JSON.stringify(Object.values(short));
  if (dropped.has(key)) return;
  if (dropped.size < maxParts) dropped.set(key, short);
  else dropped.set('others', others);
}

function shorten({ kind, name, on, host, scheme }: DroppedHtml): DroppedHtml {
  return {
    kind,
    name: name.slice(0, maxLength),
    ...(on !== undefined && { on: on.slice(0, maxLength) }),
    ...(host !== undefined && { host: host.slice(0, maxLength) }),
    ...(scheme !== undefined && { scheme: scheme.slice(0, maxLength) }),
  };
}
