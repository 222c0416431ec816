import type { DroppedHtml } from '../shared/dropped-html.ts';

/** The maximum number of different parts that are named, and of characters in the description of one. */
const maxParts = 500;
const maxKeyLength = 150;

/** The parts of a text that are not kept, each once. */
export type DroppedParts = Map<string, DroppedHtml>;

/** Adds a part that is not kept. Beyond the limits, all parts are one. */
export function addDropped(dropped: DroppedParts, part: DroppedHtml): void {
  const key = JSON.stringify(Object.values(part));
  if (dropped.has(key)) return;
  if (dropped.size < maxParts && key.length <= maxKeyLength) dropped.set(key, part);
  else dropped.set('others', { kind: 'others', name: '' });
}
