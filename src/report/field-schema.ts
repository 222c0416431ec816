import { quote } from '../messages.ts';
import { isoTimeOf } from '../shared/dates.ts';
import { isRecord } from '../shared/json-value.ts';

// The schema of a field, as code of Zod, made of the values that it has.

type Kind = 'null' | 'text' | 'date' | 'number' | 'boolean' | 'list' | 'object';

const schemas: Partial<Record<Kind, string>> = {
  text: 'z.string()',
  date: 'z.coerce.date()',
  number: 'z.number()',
  boolean: 'z.boolean()',
};

const anything = 'z.unknown()';
const anyObject = 'z.record(z.string(), z.unknown())';
/** The number of characters of an object with its keys. A longer object could not be read in a line. */
const maxObject = 160;

/** Returns a schema that accepts each of some values, and keeps all of it. */
export function schemaFor(values: readonly unknown[]): string {
  const kind = kindOfAll(values);
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

/** Returns the schema of a key, which may be null: only fields of articles are left out where they are null. */
function schemaForKey(objects: readonly Record<string, unknown>[], key: string): string {
  const values = objects.map((object) => object[key]);
  const given = values.filter((value) => value !== null);
  const schema = schemaFor(given);
  return given.length === values.length || schema === anything ? schema : `${schema}.nullable()`;
}

/** Returns the kind that all values have; undefined for several kinds, or no value. A text may look like a date. */
function kindOfAll(values: readonly unknown[]): Kind | undefined {
  const kinds = new Set(values.map(kindOfValue));
  if (kinds.has('text')) kinds.delete('date');
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
export function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}
