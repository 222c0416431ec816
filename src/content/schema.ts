import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { ArticlesInvalidError, ArticlesOptionsError, articleNotice } from '../errors.ts';
import type { UnparsedEntry } from '../load/astro-collection.ts';
import { quote } from '../messages.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { FieldsOf } from '../shared/check-options.ts';
import { markedPath, markImagePath } from '../shared/image-marks.ts';
import { isPlainObject } from '../shared/json-value.ts';

/**
 * The schema of an entry's `data`, to `.extend()` with the further fields of a site:
 *
 * ```ts
 * schema: (context) => articleSchema(context).extend({ reviewed: z.boolean() })
 * ```
 *
 * `words` and `position` have the package's values, also if the service has fields of these names: `transform` can
 * rename those.
 */
export function articleSchema({ image }: SchemaContext): ArticleSchema {
  return fields.extend({ cover_image: image().nullable() }) as unknown as ArticleSchema;
}

// Made once: Astro calls `articleSchema()` for each entry, and only the cover differs.
const fields = z.object({
  title: z.string(),
  cover_color: z.string().nullable(),
  slug: z.string(),
  description: z.string(),
  words: z.number(),
  position: z.number(),
} satisfies FieldsOf<Omit<ArticleData, 'cover_image'>>);

type Image = ReturnType<SchemaContext['image']>;

/** The data of an article. */
export interface ArticleData {
  /** The title as plain text; a draft without a title has its first heading or its id. */
  title: string;
  /** The local, verified cover; null when there is none, or it could not be downloaded. */
  cover_image: z.output<Image> | null;
  /** The dominant colour of a local cover, as `#rrggbb`; null when a part of it is transparent, or there is none. */
  cover_color: string | null;
  /** The path segment of the article, unique in the collection: the service's own `slug`, or one from title and id. */
  slug: string;
  /** The service's own `description`, or plain text of the first paragraph, at most 160 characters. */
  description: string;
  /** The number of words in the text, without its code blocks. */
  words: number;
  /**
   * The position in the service's listing, counted from the oldest article, which is 1. Sort by it. With `newest`, it
   * is counted from the oldest article that was loaded, unless the listing has a `count`.
   */
  position: number;
}

// An explicit type, so that `image()` has the type of the site's own Astro: 6 and 7 differ.
export type ArticleSchema = DescribedSchema<
  typeof fields.shape & { cover_image: z.ZodNullable<Image> },
  ArticleData
>;

/** A schema, also extended, whose output has the comments of an interface: the types that zod infers have none. */
export type DescribedSchema<Shape extends z.core.$ZodShape, Data> = Described<Shape, Data> &
  z.ZodObject<Shape>;

export interface Described<Shape extends z.core.$ZodShape, Data> {
  _zod: { output: Data };
  extend<Fields extends z.core.$ZodLooseShape>(
    fields: Fields,
  ): DescribedSchema<
    z.core.util.Extend<Shape, z.core.util.Writeable<Fields>>,
    Omit<Data, keyof Fields>
  >;
}

/**
 * Does what Astro's own `image()` does at run time. Astro passes that only to the schema of a collection, and the schema
 * of a loader has to be a static one.
 */
const staticImage = (() =>
  z.string().transform(markImagePath)) as unknown as SchemaContext['image'];

/** The schema of the loader, which Astro uses for a collection that has none of its own. */
export const loaderSchema: ArticleSchema = articleSchema({ image: staticImage });

const startingPoint =
  'Write `schema: (context) => articleSchema(context).extend({ … })` next to `loader` in the content config, with ' +
  '`articleSchema` of astro-articles.';

/** Returns the error for a schema in the options of the loader, where it would have no effect. */
export function schemaInOptions(): ArticlesOptionsError {
  // Astro prints only the message of an error in the content config, and adds a full stop.
  const message =
    'articlesLoader() received `schema`, which is not an option of a loader but of its collection: write ' +
    '`defineCollection({ loader: articlesLoader(), schema: (context) => articleSchema(context).extend({ … }) })`';
  return new ArticlesOptionsError('invalid-options', message, { hint: startingPoint });
}

/** The schema of a loader with the option `with`, whose entries of other loaders do not have the fields of articles. */
export const missingSchema = z.preprocess(() => {
  const message =
    'A collection whose loader has the option `with` needs a schema of its own, because articles and the entries of the ' +
    'other loader have different fields.';
  throw new ArticlesOptionsError('invalid-options', message, { hint: startingPoint });
}, loaderSchema) as unknown as ArticleSchema;

/**
 * Checks what a site's own schema has made of the data of an article.
 *
 * @param unparsed its data before the schema
 * @throws {ArticlesOptionsError} for a schema whose entries have no usable page: their cover is the path of a file on
 *   this machine, another field is a picture that was not downloaded, or neither their data nor their id contains the slug
 * @throws {ArticlesInvalidError} for an article with a text that Astro would read as a picture
 */
export function checkParsed(
  data: Record<string, unknown>,
  unparsed: UnparsedEntry,
  collection: string,
  { entryId, images }: Pick<ResolvedOptions, 'entryId' | 'images'>,
): void {
  const schema = `The schema of collection "${collection}"`;
  const { cover_image } = unparsed.data;
  if (images.covers === 'local' && cover_image && data.cover_image === cover_image) {
    const message =
      `${schema} keeps \`cover_image\` of article ${quote(unparsed.articleId)} as text, so pages would show a broken picture: the ` +
      "text is the path of a file in this machine's cache.";
    const hint = `${startingPoint} In a schema of your own, write \`({ image }) => z.object({ cover_image: image().nullable(), … })\`, or leave the cover out.`;
    throw new ArticlesOptionsError('invalid-options', message, { hint });
  }
  checkImages(data, unparsed, schema);
  if (entryId === 'id' && data.slug === undefined) {
    const message = `${schema} removes \`slug\` from article ${quote(unparsed.articleId)}, and its \`id\` is not the slug, so pages have no path for it.`;
    const hint = `${startingPoint} In a schema of your own, add \`slug: z.string()\`, or set \`entryId: 'slug'\` and use \`entry.id\` in paths.`;
    throw new ArticlesOptionsError('invalid-options', message, { hint });
  }
}

/** Says how a schema shows the local cover in a field of another name, and keeps the pictures of local files. */
function coverInPlaceOf(field: string): string {
  const value = `data.cover_image === undefined ? data.${field} : data.cover_image`;
  return (
    'Or, for the local cover in its place, add `cover_image: image().nullish()` to a schema that lacks it, and ' +
    `\`.transform((data) => ({ ...data, ${field}: ${value} }))\` to its end. Local files have no \`cover_image\`.`
  );
}

/**
 * Checks that Astro imports no file for an article but its cover: it imports the file whose path is in a text that
 * begins with its mark.
 *
 * @throws {ArticlesInvalidError} for a text of the article that begins with the mark, also after the schema
 * @throws {ArticlesOptionsError} for a text of the article that the schema has passed through `image()`
 */
function checkImages(data: Record<string, unknown>, unparsed: UnparsedEntry, schema: string): void {
  const cover = markImagePath(String(unparsed.data.cover_image));
  const marked = [...textsIn(data)].find(
    ([text]) => text !== cover && markedPath(text) !== undefined,
  );
  if (!marked) return;
  const [mark, place] = marked;
  const path = String(markedPath(mark));
  const texts = new Map(textsIn(unparsed.data));
  // Astro puts `./` before the path of a file that exists.
  const field = texts.get(path) ?? texts.get(path.replace(/^\.\//, ''));
  const isText = [...texts.keys()].some((text) => text.includes(markImagePath('')));
  if (!field || isText) {
    const reason = `it begins with ${quote(markImagePath(''))}, with which Astro marks the paths of pictures`;
    throw new ArticlesInvalidError([articleNotice(unparsed.articleId, reason, place)]);
  }
  const message =
    `${schema} uses \`image()\` for the field ${quote(field)} of article ${quote(unparsed.articleId)}, which is text of the service: ` +
    'only `cover_image` is downloaded as a local picture.';
  const hint = /^\w+$/.test(field) ? coverInPlaceOf(field) : 'The local cover is `cover_image`.';
  throw new ArticlesOptionsError('invalid-options', message, {
    hint: `Write \`z.string()\` in place of \`image()\` for the text. ${hint}`,
  });
}

/** Yields the texts in a value, and the path of each. */
function* textsIn(value: unknown, path = ''): Generator<[text: string, path: string]> {
  if (typeof value === 'string') yield [value, path];
  if (!Array.isArray(value) && !isPlainObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    yield* textsIn(inner, path ? `${path}.${name}` : name);
  }
}
