/** The lists that the items at a place of an article may be in. */
export interface OpenLists {
  /** Whether a list is around it, nearer than any other item. */
  items: boolean;
  /** Whether a description list is around it, nearer than any other term or description. */
  terms: boolean;
}

export const noLists: OpenLists = { items: false, terms: false };

/**
 * Returns whether an element is an item whose list is not around it. It would close an item of the page, if the page shows
 * the article in a list of its own.
 */
export function isStrayItem(tag: string, { items, terms }: OpenLists): boolean {
  if (tag === 'li') return !items;
  return (tag === 'dt' || tag === 'dd') && !terms;
}

/** Returns the lists that the items within an element may be in. */
export function listsWithin(tag: string, around: OpenLists): OpenLists {
  switch (tag) {
    case 'ul':
    case 'ol':
    case 'menu':
    case 'dir':
      return { ...around, items: true };
    case 'dl':
      return { ...around, terms: true };
    case 'li':
      return { ...around, items: false };
    case 'dt':
    case 'dd':
      return { ...around, terms: false };
    default:
      return around;
  }
}
