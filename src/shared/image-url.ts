// The query parameters with which common stores sign a URL for a limited time: Amazon S3 and
// CloudFront, Google Cloud Storage, Azure, Alibaba OSS. Other parameters may choose between images.
const signatureParameter =
  /^(x-(amz|goog|oss)-.+|awsaccesskeyid|googleaccessid|ossaccesskeyid|key-pair-id|policy|signature|expires|security-token)$/i;
const azureParameter = /^(sv|st|se|sr|sp|sig|spr|sip|skoid|sktid|skt|ske|sks|skv)$/i;

/**
 * Removes the signature from an image's URL, so that a URL that is signed again in every response
 * names the same image. A text that is not an absolute URL is treated in the same way.
 */
export function unsigned(url: string): string {
  const start = url.indexOf('?');
  if (start === -1) return url;
  const end = url.indexOf('#', start);
  const tail = end === -1 ? '' : url.slice(end);
  const parts = url.slice(start + 1, end === -1 ? undefined : end).split('&');
  const names = parts.map((part) => part.split('=')[0] ?? '');
  const isAzure = names.some((name) => name.toLowerCase() === 'sig');
  const kept = parts.filter((_, index) => {
    const name = names[index] ?? '';
    return !signatureParameter.test(name) && !(isAzure && azureParameter.test(name));
  });
  return `${url.slice(0, start)}${kept.length > 0 ? `?${kept.join('&')}` : ''}${tail}`;
}

/** Shortens a URL for messages: the query and the user name may be credentials. */
export function printableUrl(url: string): string {
  const plain = url.replace(/\p{Cc}+/gu, '');
  return plain.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//');
}

/** The URL of an image, or why an image cannot be requested from it. */
export type ResolvedImage = { status: 'valid'; url: URL } | { status: 'invalid'; reason: string };

/** Resolves the URL of an image in an article against the service's address. */
export function resolveImage(given: string, baseUrl: URL): ResolvedImage {
  if (!URL.canParse(given, baseUrl)) return { status: 'invalid', reason: 'it is not a valid URL' };
  const url = new URL(given, baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    const reason = `images are downloaded with https or http only, not ${url.protocol}`;
    return { status: 'invalid', reason };
  }
  if (url.username || url.password) {
    return { status: 'invalid', reason: 'its URL contains a user name or password' };
  }
  url.hash = '';
  return { status: 'valid', url };
}
