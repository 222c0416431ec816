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
  const [publishedAt] = first(data, published, dateOf);
  const [updatedAt] = first(data, updated, dateOf);
  return {
    ...(publishedAt ? { published: publishedAt } : {}),
    ...(updatedAt ? { updated: updatedAt } : {}),
    authors: first(data, authors, nameOf),
    tags: first(data, tags, nameOf),
  };
}

/** Returns the usable values of the first field that has any. */
function first<T>(data: object, fields: readonly string[], read: (value: unknown) => T[]): T[] {
  const values = fields.map((field) => [Reflect.get(data, field)].flat().flatMap(read));
  return values.find(({ length }) => length > 0) ?? [];
}

function dateOf(value: unknown): Date[] {
  const isDate = value instanceof Date || (typeof value === 'string' && /^\d{4}-\d\d/.test(value));
  const date = isDate ? new Date(value) : undefined;
  return date && !Number.isNaN(date.getTime()) ? [date] : [];
}

/** Returns a string itself, or the `name` of an object; none for other values. */
function nameOf(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() ? [value.trim()] : [];
  const name: unknown = typeof value === 'object' && value ? Reflect.get(value, 'name') : undefined;
  return typeof name === 'string' && name.trim() ? [name.trim()] : [];
}
