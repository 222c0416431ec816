/** Dates, authors and tags of an article, which the contract does not name. */
export interface ArticleFacts {
  published?: Date;
  updated?: Date;
  authors: string[];
  tags: string[];
}

const published = [
  'published',
  'published_at',
  'publishedAt',
  'pubDate',
  'date',
  'created_at',
  'createdAt',
];
const updated = ['updated', 'updated_at', 'updatedAt', 'updatedDate', 'modified', 'modified_at'];
const authors = ['authors', 'author'];
const tags = ['tags', 'categories', 'keywords', 'category'];

/** Reads dates, authors and tags from an entry's `data`, under the names that services commonly use. */
export function articleFacts(data: object): ArticleFacts {
  const publishedAt = firstDate(data, published);
  const updatedAt = firstDate(data, updated);
  return {
    ...(publishedAt ? { published: publishedAt } : {}),
    ...(updatedAt ? { updated: updatedAt } : {}),
    authors: firstNames(data, authors),
    tags: firstNames(data, tags),
  };
}

function firstDate(data: object, names: readonly string[]): Date | undefined {
  for (const name of names) {
    const value: unknown = Reflect.get(data, name);
    const isDate =
      value instanceof Date || (typeof value === 'string' && /^\d{4}-\d\d/.test(value));
    const date = isDate ? new Date(value) : undefined;
    if (date && !Number.isNaN(date.getTime())) return date;
  }
  return undefined;
}

function firstNames(data: object, names: readonly string[]): string[] {
  for (const name of names) {
    const value: unknown = Reflect.get(data, name);
    const found = (Array.isArray(value) ? value : [value]).flatMap(nameOf);
    if (found.length > 0) return found;
  }
  return [];
}

/** Returns a string itself, or the `name` of an object; none for other values. */
function nameOf(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() ? [value.trim()] : [];
  const name: unknown = typeof value === 'object' && value ? Reflect.get(value, 'name') : undefined;
  return typeof name === 'string' && name.trim() ? [name.trim()] : [];
}
