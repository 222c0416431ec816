// The query parameters by which the usual stores sign a URL for a time: Amazon S3 and CloudFront,
// Google Cloud Storage, Azure, Alibaba OSS. Others keep theirs: they may choose between images.
const signatureParameter =
  /^(x-(amz|goog|oss)-.+|awsaccesskeyid|googleaccessid|ossaccesskeyid|key-pair-id|policy|signature|expires|security-token)$/i;
const azureParameter = /^(sv|st|se|sr|sp|sig|spr|sip|skoid|sktid|skt|ske|sks|skv)$/i;

/**
 * The cover's URL without its signature, so that a URL that is signed anew in every answer still
 * names the same image. A text that is no absolute URL is treated alike.
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

/** The URL as messages show it: what follows the path may be a credential. */
export function shownUrl(url: string): string {
  const plain = url.replace(/\p{Cc}+/gu, '');
  return plain.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//');
}

/**
 * Resolves what an article gives as its cover against the service's address.
 *
 * @returns the URL, or why it cannot be one
 */
export function resolveImage(cover: string, baseUrl: URL): { url: URL } | { fault: string } {
  if (!URL.canParse(cover, baseUrl)) return { fault: 'it is no URL' };
  const url = new URL(cover, baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { fault: `only http and https images are fetched, not ${url.protocol}` };
  }
  if (url.username || url.password) return { fault: 'its URL holds a user name or password' };
  url.hash = '';
  return { url };
}
