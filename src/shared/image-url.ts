// The query parameters with which common stores sign a URL for a limited time: Amazon S3 and
// CloudFront, Google Cloud Storage, Azure, Alibaba OSS. Other parameters may choose between images.
const signatureNames =
  'awsaccesskeyid expires googleaccessid key-pair-id ossaccesskeyid policy security-token signature'.split(
    ' ',
  );
const azureNames = 'sv st se sr sp sig spr sip skoid sktid skt ske sks skv'.split(' ');
const storeName = /^x-(?:amz|goog|oss)-(?!process$)./;

/**
 * Removes the signature from an image's URL, so that a URL that is signed again in every response
 * names the same image. A text that is not an absolute URL is treated in the same way.
 */
export function unsigned(url: string): string {
  const [, base, query = '', hash = ''] = /^([^?]*)\?([^#]*)(.*)/s.exec(url) ?? [];
  if (base === undefined) return url;
  const parts = query.split('&');
  const nameOf = (part: string) => part.split('=', 1).join().toLowerCase();
  const isAzure = parts.some((part) => nameOf(part) === 'sig');
  const names = isAzure ? [...signatureNames, ...azureNames] : signatureNames;
  const kept = parts.filter(
    (part) => !names.includes(nameOf(part)) && !storeName.test(nameOf(part)),
  );
  return base + (kept.length > 0 ? `?${kept.join('&')}` : '') + hash;
}

const expiry = /[?&;](?:x-[a-z]+-expires|expires|policy|se)=/i;
const signature = /[?&;](?:x-[a-z]+-signature|signature|sig)=/i;

/** Returns whether a URL, or one in an attribute of HTML, has a signature that expires. */
export function isExpiring(url: string): boolean {
  return expiry.test(url) && signature.test(url);
}

/** Returns a URL for messages: the query and the user name may be credentials, and a data URL is long. */
export function printableUrl(url: string): string {
  const plain = url.replace(/\p{Cc}/gu, '').replace(/\/\/[^/]*@/, '//');
  const path = plain.replace(/[?#].*/s, '');
  // A part of it could be a part of the API key, which would not be recognised.
  return path.length > 200 ? 'with a long URL' : path;
}

/** Resolves the URL of an image against the URL of the service. Returns the reason if it cannot be requested. */
export function resolveImage(reference: string, baseUrl: URL): URL | string {
  const url = URL.parse(reference, baseUrl);
  if (!url) return 'it is not a valid URL';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return `images are downloaded with https or http only, not ${url.protocol}`;
  }
  if (url.username || url.password) return 'its URL contains a user name or password';
  url.hash = '';
  return url;
}
