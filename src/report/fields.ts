import { quote } from '../messages.ts';

// What a load has seen of the fields that the contract does not name. No value of them is part of a message.

/** A field that some articles have. `null` does not count as a value. */
export interface FurtherField {
  name: string;
  /** The field in a schema, such as `author: z.string().optional()`, which accepts all values. */
  code: string;
  /** The number of articles that have it. */
  count: number;
  /** The kinds of its values, in words. */
  kinds: string;
}

type Kind = 'null' | 'text' | 'date' | 'number' | 'boolean' | 'list' | 'object';

interface Values {
  count: number;
  kinds: Set<Kind>;
  /** The kinds of the values in its lists. */
  items: Set<Kind>;
}

const words: Record<Kind, string> = {
  null: 'null',
  text: 'text',
  date: 'a date',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
  object: 'an object',
};

const schemas: Partial<Record<Kind, string>> = {
  text: 'z.string()',
  date: 'z.coerce.date()',
  number: 'z.number()',
  boolean: 'z.boolean()',
  object: 'z.record(z.string(), z.unknown())',
};

const anything = 'z.unknown()';

/** Returns the fields of articles that a schema can name, sorted by name. */
export function fieldsOf(articles: Iterable<Readonly<Record<string, unknown>>>): FurtherField[] {
  const fields = new Map<string, Values>();
  for (const article of articles) {
    for (const [name, value] of Object.entries(article)) {
      // Zod reads a field such as `valueOf` also from objects that lack it.
      if (value === null || name in Object.prototype) continue;
      const field = fields.get(name) ?? { count: 0, kinds: new Set(), items: new Set() };
      fields.set(name, field);
      field.count += 1;
      field.kinds.add(kindOf(value));
      const items = Array.isArray(value) ? value : [];
      for (const item of items) field.items.add(kindOf(item));
    }
  }
  const sorted = [...fields].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, { count, kinds, items }]) => {
    const code = `${keyOf(name)}: ${schemaOf(kinds, items)}`;
    return { name, code, count, kinds: [...kinds].map((kind) => words[kind]).join(' or ') };
  });
}

/** Returns the time of a date of ISO 8601, in ms since 1970; undefined for any other value. */
export function timeOfDate(value: unknown): number | undefined {
  const isDate =
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(value);
  const time = isDate ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as Kind;
  if (typeof value === 'string') return timeOfDate(value) === undefined ? 'text' : 'date';
  return 'object';
}

function schemaOf(kinds: ReadonlySet<Kind>, items: ReadonlySet<Kind>): string {
  if (kinds.size === 1 && kinds.has('list')) {
    // Dates in a list stay text, as most lists are of names.
    const kind = onlyKind(items);
    const item = (kind && schemas[kind === 'date' ? 'text' : kind]) ?? anything;
    return `z.array(${item}).default([])`;
  }
  const kind = onlyKind(kinds);
  return `${(kind && schemas[kind]) ?? anything}.optional()`;
}

/** Returns the kind that all values have; undefined for several ones. */
function onlyKind(kinds: ReadonlySet<Kind>): Kind | undefined {
  const [kind, ...others] = [...kinds].filter((each) => each !== 'date' || !kinds.has('text'));
  return others.length > 0 ? undefined : kind;
}

/** Returns a name as the key of an object literal. */
function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}
