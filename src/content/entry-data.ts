import type { LoaderContext } from 'astro/loaders';
import { escapeImageMarks } from '../shared/image-marks.ts';
import { probes } from './article-schema.ts';

/** The `data` of an entry, before the collection's schema parses it. */
export interface EntryData extends Record<string, unknown> {
  title: string;
  cover_image: string | null;
  slug: string;
  description: string;
  words: number;
  position: number;
}

export type ParseEntry = (entry: {
  id: string;
  data: EntryData;
  /** Fields of the service that are not part of the contract. */
  extra: Record<string, unknown>;
}) => Promise<Record<string, unknown>>;

type PackageField = keyof typeof probes;
const packageFields = Object.keys(probes) as PackageField[];

/**
 * Creates a function that parses entries with the collection's schema. If the service has a field with the name
 * of a package field, and the site's schema defines this field itself, the schema gets the service's value.
 */
export function createEntryParser(parseData: LoaderContext['parseData']): ParseEntry {
  /** By field: whether `articleSchema` parses it. */
  const usesPackageValue = new Map<PackageField, boolean>();

  async function parse(id: string, data: Record<string, unknown>) {
    const parsed = await parseData({ id, data: escapeImageMarks(structuredClone(data)) });
    // A schema may trim or join texts, so that a text begins with a mark only after parsing.
    const cover = typeof data.cover_image === 'string' ? data.cover_image : null;
    return escapeImageMarks(parsed, cover);
  }

  /** Returns whether `articleSchema` parses a field; undefined when the schema refuses the article. */
  async function isPackageField(id: string, data: EntryData, field: PackageField) {
    const [probe, replaced] = probes[field];
    const attempt = (value: unknown) =>
      parse(id, { ...data, [field]: value }).then(
        (parsed) => ({ parsed: parsed[field] }),
        () => undefined,
      );
    const probed = await attempt(probe);
    if (probed) return probed.parsed === replaced;
    // If the schema accepts the article without the probe, it refused the probe, unlike `articleSchema`.
    return (await attempt(data[field])) ? false : undefined;
  }

  return async ({ id, data, extra }) => {
    const merged: Record<string, unknown> = { ...extra, ...data };
    for (const field of packageFields) {
      if (!Object.hasOwn(extra, field)) continue;
      const uses =
        usesPackageValue.get(field) ?? (await isPackageField(id, { ...extra, ...data }, field));
      if (uses !== undefined) usesPackageValue.set(field, uses);
      if (uses === false) merged[field] = extra[field];
    }
    return parse(id, merged);
  };
}
