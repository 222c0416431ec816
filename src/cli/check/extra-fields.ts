/** Returns source code that extends `articleSchema` by fields. */
export function schemaFor(
  names: readonly string[],
  articles: readonly Readonly<Record<string, unknown>>[],
): string {
  const fields = names.map((name) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const values = articles.map((article) => article[name]);
    const present = values.filter((value) => value !== undefined && value !== null);
    const nullable = values.includes(null) ? '.nullable()' : '';
    const optional = values.includes(undefined) ? '.optional()' : '';
    return `${key}: ${typeOf(present)}${nullable}${optional}`;
  });
  return `schema: (context) => articleSchema(context).extend({ ${fields.join(', ')} })`;
}

const date = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}.*)?$/;
const isText = (value: unknown) => typeof value === 'string';
const types: readonly [type: string, fits: (value: unknown) => boolean][] = [
  ['z.coerce.date()', (value) => isText(value) && date.test(String(value))],
  ['z.string()', isText],
  ['z.number()', (value) => typeof value === 'number'],
  ['z.boolean()', (value) => typeof value === 'boolean'],
  ['z.array(z.string())', (value) => Array.isArray(value) && value.every(isText)],
];

function typeOf(values: readonly unknown[]): string {
  const [type] = types.find(([, fits]) => values.length > 0 && values.every(fits)) ?? [];
  return type ?? 'z.unknown()';
}
