/** The version of this package, part of every fingerprint. */
export const packageVersion = '0.1.0';

/** The `User-Agent` of requests to the service and for images (RFC 9110, 10.1.5). */
export const userAgent = `astro-articles/${packageVersion}`;
