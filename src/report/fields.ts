import { quote } from '../messages.ts';
import { isoTimeOf, isSeconds } from '../shared/dates.ts';
import { isRecord } from '../shared/json-value.ts';
import type { Fields, SeenService } from './facts.ts';

// The fields that the contract does not name, as a schema of Zod. It is made of the values that a load has seen, and has none
// of them.

/**
 * Returns a schema with the fields that the schema of the site does not take yet, or, next to other entries, the fields, in
 * lines to paste. Empty for none.
 */
export function schemaToPaste({ fields, taken, hasOtherEntries }: SeenService): string {
  const lines = findFields([...fields.values()], hasOtherEntries)
    .filter(({ name }) => !taken.has(name))
    .map(({ code, count }) => `      ${code}, // in ${count} of ${fields.size} articles`);
  if (lines.length === 0) return '';
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
interface FurtherField {
  name: string;
  /** The field in a schema, such as `author: z.string().nullish()`, which accepts all values. */
  code: string;
  /** The number of articles that have it. */
  count: number;
}

/**
 * Returns the fields of articles, or of objects in them, that a schema can name, sorted by name.
 *
 * @param areOptional whether the schema has to accept entries without any of them
 */
export function findFields(articles: readonly Fields[], areOptional = false): FurtherField[] {
  const fields = articles
    .flatMap((article) => Object.entries(article))
    // Zod reads a field such as `valueOf` also from objects that lack it.
    .filter(([name, value]) => value !== null && !(name in Object.prototype));
  const groups = [...Map.groupBy(fields, ([name]) => name)];
  const sorted = groups.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, entries]) => {
    const all = entries.map(([, value]) => value);
    // A load ignores an empty text where the schema wants something else, such as a date.
    const filled = all.filter((value) => value !== '');
    const schema = schemaFor(filled.length > 0 ? filled : all, name);
    const values = schema === 'z.string()' ? all : filled;
    const isRequired = values.length === articles.length && !areOptional;
    const ifMissing = values.every(Array.isArray) ? '.default([])' : '.nullish()';
    const code = `${keyOf(name)}: ${schema}${isRequired ? '' : ifMissing}`;
    return { name, code, count: values.length };
  });
}

/** The schema of a date in seconds since 1970, of which `z.coerce.date()` makes one in January 1970. */
export const dateOfSeconds = 'z.number().transform((seconds) => new Date(seconds * 1000))';
const nameOfTime = /date|time|created|updated|modified|published|_(?:at|on)$/i;

/** Returns a schema that accepts each of some values, and keeps all of it. Numbers are dates if their name is that of a time. */
export function schemaFor(values: readonly unknown[], name = ''): string {
  if (values.length === 0) return 'z.unknown()';
  if (values.every(isSeconds) && nameOfTime.test(name)) return dateOfSeconds;
  if (values.every(Array.isArray)) return `z.array(${schemaFor(values.flat())})`;
  if (values.every(isRecord)) return schemaForObjects(values);
  if (values.every(isDate)) return 'z.coerce.date()';
  const type = ['string', 'number', 'boolean'].find((name) =>
    values.every((value) => typeof value === name),
  );
  return `z.${type ?? 'unknown'}()`;
}

/** The number of characters of an object with its keys. A longer object could not be read in a line. */
const maxObject = 160;

/** Names the keys of objects, if all of them have the same. */
function schemaForObjects(objects: readonly Fields[]): string {
  const fields = findFields(objects);
  const schema = `z.object({ ${fields.map(({ code }) => code).join(', ')} })`;
  const haveSame = objects.every((object) => Object.keys(object).length === fields.length);
  return haveSame && fields.length > 0 && schema.length <= maxObject
    ? schema
    : 'z.record(z.string(), z.unknown())';
}

function isDate(value: unknown): boolean {
  return typeof value === 'string' && isoTimeOf(value) !== undefined;
}

/** Returns a name as the key of an object literal. */
function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}
