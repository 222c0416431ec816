/** The validators of a response, for a conditional request (RFC 9110, 8.8). */
export interface Validators {
  etag?: string | undefined;
  lastModified?: string | undefined;
}

/**
 * Reads the validators of a response. `Last-Modified` has seconds, so a resource that was changed in the second of the
 * response could change again without a new date (RFC 9110, 8.8.2.2).
 */
export function validatorsOf(headers: Headers): Validators {
  const etag = headers.get('etag');
  const lastModified = headers.get('last-modified') ?? '';
  const age = Date.parse(headers.get('date') ?? '') - Date.parse(lastModified);
  return { ...(etag && { etag }), ...(age >= 1_000 && { lastModified }) };
}

/** Returns the headers of a request that responds 304 while the resource is unchanged; none without validators. */
export function conditionalHeaders({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag && { 'if-none-match': etag }),
    ...(lastModified && { 'if-modified-since': lastModified }),
  };
}
