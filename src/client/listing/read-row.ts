import { decodeListed, type Row } from '../article.ts';
import { createRedact } from '../http/api-key.ts';

/** The reason to refuse an article whose id is the API key. */
export const keyAsId = 'it is the API key';

/**
 * Returns a function that decodes a row of the listing. It refuses the API key as an id, because ids are part
 * of messages, file names and pages.
 */
export function createReadRow(apiKey: string): (value: unknown, position: number) => Row {
  const redact = createRedact(apiKey);
  return (value, position) => {
    const row = decodeListed(value, position);
    if ('problem' in row) {
      return { problem: { ...row.problem, reason: redact(row.problem.reason) } };
    }
    if (row.id !== apiKey) return row;
    return { problem: { id: `(row ${position} of the listing)`, field: 'id', reason: keyAsId } };
  };
}
