import { quote } from '../messages.ts';
import { isoTimeOf, isSeconds } from '../shared/dates.ts';
import { isRecord } from '../shared/json-value.ts';
import type { SeenService } from './facts.ts';

// The fields that the contract does not name, as a schema of Zod. It is made of the values that a load has seen, and has none
// of them.

const maxFields = 50;
/** In characters. The site shows no field with a longer name. */
const maxNameLength = 100;

/** Returns the fields that the schema of the site does not take yet. */
export function furtherFields({ fields, taken, hasOtherEntries }: SeenService): FurtherField[] {
  return findFields([...fields.values()], hasOtherEntries).filter(
    ({ name }) => !taken.has(name) && name.length <= maxNameLength,
  );
}

/** Returns a schema with some fields, or, next to other entries, the fields, in lines to paste. */
export function schemaToPaste(
  fields: readonly FurtherField[],
  { fields: { size }, hasOtherEntries }: Pick<SeenService, 'fields' | 'hasOtherEntries'>,
): string {
  const more = fields.length - maxFields;
  const lines = [
    ...fields
      .slice(0, maxFields)
      .map(({ code, count }) => `      ${code}, // in ${count} of ${size} articles`),
    ...(more > 0 ? [`      // … and ${more} more`] : []),
  ];
  const text = hasOtherEntries
    ? [
        'Further fields, which pages can use (`z` is of astro/zod). Add them to the schema of the collection. The entries of the ' +
          'other loader do not have them:',
        ...lines,
      ]
    : [
        'Further fields, which pages can use with a schema next to `loader` (`z` is of astro/zod, `articleSchema` of astro-articles):',
        '  schema: (context) =>',
        '    articleSchema(context).extend({',
        ...lines,
        '    }),',
      ];
  return text.join('\n');
}

/** A field that some articles have. `null` is not counted, and neither is an empty text where other articles have no text. */
export interface FurtherField {
  name: string;
  /** The field in a schema, such as `author: z.string().nullish()`, which accepts all values. */
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
    const schema = schemaFor(values, name) + (isRequired ? '' : ifMissing(values));
    return { name, code: `${keyOf(name)}: ${schema}`, count: values.length };
  });
}

/** Removes empty texts from the values of a field that is not a text, such as a date, because a load ignores them there. */
function withoutEmptyTexts(values: readonly unknown[]): readonly unknown[] {
  const others = values.filter((value) => value !== '');
  return others.length === 0 || schemaFor(others) === schemas.text ? values : others;
}

/** Returns what makes a schema accept articles without the field. */
function ifMissing(values: readonly unknown[]): string {
  return values.every(Array.isArray) ? '.default([])' : '.nullish()';
}

type Kind = 'null' | 'text' | 'date' | 'number' | 'seconds' | 'boolean' | 'list' | 'object';

/** The schema of a date in seconds since 1970, of which `z.coerce.date()` makes one in January 1970. */
export const dateOfSeconds = 'z.number().transform((seconds) => new Date(seconds * 1000))';

const schemas: Partial<Record<Kind, string>> = {
  text: 'z.string()',
  date: 'z.coerce.date()',
  number: 'z.number()',
  seconds: dateOfSeconds,
  boolean: 'z.boolean()',
};

const anything = 'z.unknown()';
const anyObject = 'z.record(z.string(), z.unknown())';
/** The number of characters of an object with its keys. A longer object could not be read in a line. */
const maxObject = 160;

/**
 * Returns a schema that accepts each of some values, and keeps all of it.
 *
 * @param name the name of the field: a number is a date only if its name is one of a time
 */
export function schemaFor(values: readonly unknown[], name = ''): string {
  const kind = kindOfAll(values, name);
  if (kind === 'list') return `z.array(${schemaForItems(values.flat())})`;
  if (kind === 'object') return schemaForObjects(values.filter(isRecord));
  return (kind && schemas[kind]) ?? anything;
}

/** Dates in a list stay text, as most lists are of names. */
function schemaForItems(items: readonly unknown[]): string {
  const schema = schemaFor(items);
  return schema === schemas.date ? 'z.string()' : schema;
}

/** Names the keys of objects, if all of them have the same. */
function schemaForObjects(objects: readonly Record<string, unknown>[]): string {
  const keys = Object.keys(objects[0] ?? {});
  const hasSame = (object: Record<string, unknown>) =>
    Object.keys(object).length === keys.length && keys.every((key) => Object.hasOwn(object, key));
  // Zod has its own rules for such a key.
  const isUsual = keys.length > 0 && keys.every((key) => !(key in Object.prototype));
  if (!isUsual || !objects.every(hasSame)) return anyObject;
  const fields = keys.map((key) => `${keyOf(key)}: ${schemaForKey(objects, key)}`);
  const schema = `z.object({ ${fields.join(', ')} })`;
  return schema.length > maxObject ? anyObject : schema;
}

/** Returns the schema of a key, which may be null. */
function schemaForKey(objects: readonly Record<string, unknown>[], key: string): string {
  const values = objects.map((object) => object[key]);
  const given = values.filter((value) => value !== null);
  const schema = schemaFor(given, key);
  return given.length === values.length || schema === anything ? schema : `${schema}.nullish()`;
}

const nameOfTime = /date|time|created|updated|modified|published|_(?:at|on)$/i;

/** Returns the kind that all values have; undefined for several kinds, or no value. A text may look like a date. */
function kindOfAll(values: readonly unknown[], name: string): Kind | undefined {
  const kinds = new Set(values.map(kindOfValue));
  if (kinds.has('text')) kinds.delete('date');
  if (values.every(isSeconds) && nameOfTime.test(name)) return 'seconds';
  const [kind] = kinds;
  return kinds.size === 1 ? kind : undefined;
}

function kindOfValue(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return isoTimeOf(value) ? 'date' : 'text';
  return 'object';
}

/** Returns a name as the key of an object literal. */
function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}
