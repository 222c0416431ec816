import { withoutNulls } from '../shared/json-value.ts';

/** What an article has to say, after `transform` and rendering. */
export interface RenderedText {
  title: string;
  /** The description from its first paragraph. */
  description: string;
  words: number;
  /** Fields that are not part of the contract, for the site's schema. */
  extra: Record<string, unknown>;
}

/**
 * Returns what the data of built and of live entries have in common, before the schema: the fields of the service, and
 * over them the fields of this package. Fields of the service that are null, at any depth, are left out: services send
 * null for "none", and schemas make 1970 or an error of it.
 */
export function articleData(
  { title, description, words, extra }: RenderedText,
  { slug, cover }: { slug: string; cover: string | null },
) {
  const ownFields = { title, slug, words, cover_image: cover };
  const fields = Object(withoutNulls(extra));
  return { ...fields, ...ownFields, description: ownDescription(extra) ?? description };
}

/** Returns the description that the service gives an article, if it has one. */
function ownDescription({ description }: Record<string, unknown>): string | undefined {
  const text = typeof description === 'string' ? description.replace(/\s+/g, ' ').trim() : '';
  return text || undefined;
}
