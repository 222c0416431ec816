import type { LoaderContext } from 'astro/loaders';
import { escapeImageMarks } from '../shared/image-marks.ts';
import { type PackageFields, packageFields } from './article-schema.ts';

/** The `data` of an entry, before the collection's schema parses it. */
export interface EntryData extends PackageFields {
  title: string;
  cover_image: string | null;
}

/**
 * Parses an entry with the collection's schema. It gets the service's value of a field that the package has,
 * too; `articleSchema` replaces it with the package's value.
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
