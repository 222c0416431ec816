/** The version of this package, sent as `User-Agent` and part of every fingerprint. */
export const version = '0.1.0';
