import { keyOf, schemaFor } from './field-schema.ts';

// What a load has seen of the fields that the contract does not name. No value of them is part of a message.

/** A field that some articles have. `null` is not counted, and neither is an empty text where other articles have no text. */
export interface FurtherField {
  name: string;
  /** The field in a schema, such as `author: z.string().optional()`, which accepts all values. */
  code: string;
  /** The number of articles that have it. */
  count: number;
}

/**
 * Returns the fields of articles that a schema can name, sorted by name.
 *
 * @param areOptional whether the schema has to accept entries without any of them
 */
export function findFields(
  articles: readonly Readonly<Record<string, unknown>>[],
  areOptional = false,
): FurtherField[] {
  const fields = new Map<string, unknown[]>();
  for (const article of articles) {
    for (const [name, value] of Object.entries(article)) {
      // Zod reads a field such as `valueOf` also from objects that lack it.
      if (value === null || name in Object.prototype) continue;
      const values = fields.get(name) ?? [];
      fields.set(name, values);
      values.push(value);
    }
  }
  const sorted = [...fields].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, all]) => {
    const values = withoutEmptyTexts(all);
    const isRequired = values.length === articles.length && !areOptional;
    const code = `${keyOf(name)}: ${schemaFor(values)}${isRequired ? '' : ifMissing(values)}`;
    return { name, code, count: values.length };
  });
}

/** Removes empty texts from the values of a field that is not a text, such as a date, because a load ignores them there. */
function withoutEmptyTexts(values: readonly unknown[]): readonly unknown[] {
  const others = values.filter((value) => value !== '');
  return others.length === 0 || schemaFor(others) === 'z.string()' ? values : others;
}

/** Returns what makes a schema accept articles without the field. */
function ifMissing(values: readonly unknown[]): string {
  return values.every(Array.isArray) ? '.default([])' : '.optional()';
}
