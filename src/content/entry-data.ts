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
  /** Fields of the service that the contract does not name. */
  extra: Record<string, unknown>;
}) => Promise<Record<string, unknown>>;

type OwnField = keyof typeof probes;
const ownFields = Object.keys(probes) as OwnField[];

/**
 * Parses entries with the collection's schema. If a field of the service has the name of one of
 * the package's, a schema that defines this field itself gets the service's value.
 */
export function createEntryParser(parseData: LoaderContext['parseData']): ParseEntry {
  /** Whether `articleSchema` parses the field. */
  const isOwn = new Map<OwnField, boolean>();

  async function parse(id: string, data: Record<string, unknown>) {
    const parsed = await parseData({ id, data: escapeImageMarks(structuredClone(data)) });
    // A schema may trim or join texts, so that one begins with a mark only now.
    const cover = typeof data.cover_image === 'string' ? data.cover_image : null;
    return escapeImageMarks(parsed, cover);
  }

  /** Returns whether `articleSchema` parses a field; undefined when the schema refuses the article. */
  async function parsesAsOwn(id: string, data: EntryData, field: OwnField) {
    const [probe, own] = probes[field];
    const attempt = (value: unknown) =>
      parse(id, { ...data, [field]: value }).then(
        (parsed) => ({ parsed: parsed[field] }),
        () => undefined,
      );
    const probed = await attempt(probe);
    if (probed) return probed.parsed === own;
    // Without the probe the article is accepted, so it was this field that refused it.
    return (await attempt(data[field])) ? false : undefined;
  }

  return async ({ id, data, extra }) => {
    const merged: Record<string, unknown> = { ...extra, ...data };
    for (const field of ownFields) {
      if (!Object.hasOwn(extra, field)) continue;
      const known = isOwn.get(field) ?? (await parsesAsOwn(id, { ...extra, ...data }, field));
      if (known !== undefined) isOwn.set(field, known);
      if (known === false) merged[field] = extra[field];
    }
    return parse(id, merged);
  };
}
