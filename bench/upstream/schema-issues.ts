// Shows that a loader can read which fields a schema refuses only from the words of Astro's message, and that different
// fields give the same words.
import { z } from 'astro/zod';

const root = import.meta.resolve('astro/package.json');
const { getEntryData } = await import(new URL('dist/content/utils.js', root).href);

type Data = Record<string, unknown>;

/** Parses an entry as `parseData()` of a loader does, and returns what it throws. */
async function errorOf(data: Data, schema: z.ZodType): Promise<Error> {
  const entry = { id: 'one', collection: 'articles', unvalidatedData: data, _internal: {} };
  try {
    await getEntryData(entry, { schema, type: 'content_layer' }, false);
  } catch (error) {
    return error as Error;
  }
  throw new Error('The schema accepts the data.');
}

const nested = await errorOf({ a: { b: 1 } }, z.object({ a: z.object({ b: z.string() }) }));
const flat = await errorOf({ 'a.b': 1 }, z.object({ 'a.b': z.string() }));
console.log(nested.message);
console.log('fields of the error:', Object.keys(nested).join(', '));
console.log('cause:', nested.cause);
console.log('the same for a field named `a.b`:', nested.message === flat.message);
