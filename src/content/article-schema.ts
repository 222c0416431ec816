import { AsyncLocalStorage } from 'node:async_hooks';
import type { SchemaContext } from 'astro/content/config';
import type { LoaderContext } from 'astro/loaders';
import { z } from 'astro/zod';
import { escapeImageMarks } from '../shared/image-marks.ts';

/** The fields of an entry that the package computes. The service may have fields of the same names. */
interface PackageFields {
  slug: string;
  description: string;
  words: number;
  position: number;
}

/** The package's values of the entry that is being parsed. */
const packageFields = new AsyncLocalStorage<PackageFields>();

/**
 * The schema of an entry's `data`, to use unchanged or to `.extend()`:
 *
 * ```ts
 * schema: (context) => articleSchema(context).extend({ reviewed: z.boolean() })
 * ```
 *
 * If the service has a field of the same name, such as `description`, the package's value is used. Name the
 * field in `.extend()` to get the service's value.
 */
export function articleSchema({ image }: SchemaContext): ArticleSchema {
  return z.object({
    title: z.string(),
    cover_image: image().nullable(),
    ...packageSchemas,
  });
}

// Made once, because Astro calls the schema's function for every entry.
const packageSchemas = {
  slug: ofPackage('slug', z.string()),
  description: ofPackage('description', z.string()),
  words: ofPackage('words', z.number()),
  position: ofPackage('position', z.number()),
};

// An explicit type, so that `image()` has the type of the site's own Astro: 6 and 7 differ.
export type ArticleSchema = z.ZodObject<{
  title: z.ZodString;
  /** The local, verified cover; null when there is none, or it could not be downloaded. */
  cover_image: z.ZodNullable<ReturnType<SchemaContext['image']>>;
  /** The path segment of the article: unique in the collection, and independent of other articles. */
  slug: z.ZodType<string>;
  /** Plain text of the first paragraph, at most 160 characters. */
  description: z.ZodType<string>;
  /** The number of words in the text, without its code blocks. */
  words: z.ZodType<number>;
  /** The position in the service's listing, counted from the oldest article, which is 1. Sort by it. */
  position: z.ZodType<number>;
}>;

function ofPackage<T>(field: keyof PackageFields, schema: z.ZodType<T>): z.ZodType<T> {
  return z.preprocess((value) => packageFields.getStore()?.[field] ?? value, schema);
}

/** The `data` of an entry, before the collection's schema parses it. */
interface EntryData extends PackageFields {
  title: string;
  cover_image: string | null;
}

/**
 * Parses an entry with the collection's schema. If the service and the package both have a field, the schema
 * receives the service's value, and `articleSchema` uses the package's value instead.
 *
 * @param entry `extra` has the fields of the service that are not part of the contract
 */
export async function parseEntry(
  parseData: LoaderContext['parseData'],
  entry: { id: string; data: EntryData; extra: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const { title, cover_image, ...fields } = entry.data;
  const data = structuredClone({ ...fields, ...entry.extra, title, cover_image });
  const parsed = await packageFields.run(escapeImageMarks(fields), () =>
    parseData({ id: entry.id, data: escapeImageMarks(data) }),
  );
  // A schema may trim or join texts, so that a text begins with a mark only after parsing.
  return escapeImageMarks(parsed, cover_image);
}
