import { decodeListed, type Row } from '../article.ts';
import { createRedact } from '../http/api-key.ts';

/** Why an article cannot have the API key as its id. */
export const keyAsId = 'it is the API key';

/**
 * Returns a function that decodes a row of the listing. An id is part of messages, file names and pages, where
 * the key must not appear.
 */
export function createReadRow(apiKey: string): (value: unknown, place: number) => Row {
  const redact = createRedact(apiKey);
  return (value, place) => {
    const row = decodeListed(value, place);
    if ('problem' in row) {
      return { problem: { ...row.problem, reason: redact(row.problem.reason) } };
    }
    if (row.id !== apiKey) return row;
    return { problem: { id: `(row ${place} of the listing)`, field: 'id', reason: keyAsId } };
  };
}
