/** Writes the schema of a collection with more fields, as source code. */
export function schemaFor(
  names: readonly string[],
  values: readonly Readonly<Record<string, unknown>>[],
): string {
  const fields = names.map((name) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${key}: ${typeFor(values.map((value) => value[name]))}`;
  });
  return `schema: (context) => articleSchema(context).extend({ ${fields.join(', ')} })`;
}

const date = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}.*)?$/;
const isText = (value: unknown) => typeof value === 'string';

function typeFor(values: readonly unknown[]): string {
  const present = values.filter((value) => value !== undefined && value !== null);
  const nullable = values.includes(null) ? '.nullable()' : '';
  const optional = values.includes(undefined) ? '.optional()' : '';
  return `${typeOfAll(present)}${nullable}${optional}`;
}

function typeOfAll(values: readonly unknown[]): string {
  if (values.length === 0) return 'z.unknown()';
  if (values.every((value) => isText(value) && date.test(String(value)))) return 'z.coerce.date()';
  if (values.every(isText)) return 'z.string()';
  if (values.every((value) => typeof value === 'number')) return 'z.number()';
  if (values.every((value) => typeof value === 'boolean')) return 'z.boolean()';
  const isList = (value: unknown) => Array.isArray(value) && value.every(isText);
  return values.every(isList) ? 'z.array(z.string())' : 'z.unknown()';
}
