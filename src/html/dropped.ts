/** The number of dropped names that are reported, and the length of each. */
const maxNames = 100;
const maxLength = 80;

/** Adds the name of an element or attribute that was dropped, while there are few of them. */
export function addDropped(dropped: Set<string>, name: string): void {
  if (dropped.size < maxNames) dropped.add(name.slice(0, maxLength));
}
