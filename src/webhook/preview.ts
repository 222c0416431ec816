import { encode, equalInConstantTime, hmac, toHex } from './hmac.ts';
import { secretProblem } from './secret.ts';
import { type Refusal, refusal, type VerifyOptions } from './verify-request.ts';

export interface PreviewUrlOptions {
  /** A secret that only the server knows, of at least 16 bytes. */
  secret: string | undefined;
  /** How long the link is valid, in seconds, or the time at which it expires. @default 86_400, a day */
  expires?: number | Date;
  /** The URL of the preview page, such as `https://www.example.com/preview`. */
  page: URL | string;
}

/** A request for the preview page: Astro's context, a `Request`, or an object with its URL. */
interface PreviewRequest {
  url: URL | string;
  /** The URL of the site. Without it, a link is valid for the host of the request. */
  site?: URL | string | undefined;
  request?: Pick<Request, 'headers'>;
}

export type PreviewVerdict =
  | { status: 'valid' /** The id of the article that the link shows. */; id: string }
  | Refusal;

const day = 86_400;
const seconds = /^\d{1,11}$/;

/**
 * Returns a link to the preview of one article, which expires: `page?id=…&expires=…&signature=…`. The signature is an
 * HMAC-SHA256 of the id and the time, so a link shows no other article, and no later. Its key is derived from the
 * secret for one page of one site.
 *
 * @throws {TypeError} when the secret can be guessed, the id is empty or the time is not valid
 */
export async function previewUrl(
  id: string,
  { secret, expires = day, page }: PreviewUrlOptions,
): Promise<string> {
  if (id === '') throw new TypeError('The id of the article to preview is empty.');
  const end = expires instanceof Date ? expires.getTime() / 1000 : Date.now() / 1000 + expires;
  const time = String(Math.ceil(end));
  if (!seconds.test(time)) throw new TypeError('`expires` is not a valid date or number.');
  const url = new URL(page);
  url.searchParams.set('id', id);
  url.searchParams.set('expires', time);
  const signature = await sign(`${time}\n${id}`, `${url.host}\n${url.pathname}`, secret);
  url.searchParams.set('signature', signature);
  return url.href;
}

/**
 * Checks a link of `previewUrl()`. The signature is compared in constant time, before the time is checked.
 *
 * @throws {TypeError} when the secret is missing or can be guessed
 */
export async function verifyPreview(
  { url, site, request }: PreviewRequest,
  { secret, date = Date.now() }: Pick<VerifyOptions, 'secret' | 'date'>,
): Promise<PreviewVerdict> {
  const page = new URL(url);
  const read = (name: string) => page.searchParams.get(name) ?? '';
  const [id, time, signature] = [read('id'), read('expires'), read('signature')];
  // A server that does not know its host takes `localhost` for it.
  const hosts = site ? [new URL(site).host] : [page.host, request?.headers.get('host') ?? ''];
  const expected = await Promise.all(
    hosts.map((host) => sign(`${time}\n${id}`, `${host}\n${page.pathname}`, secret)),
  );
  if (!seconds.test(time) || !expected.some((each) => equalInConstantTime(signature, each))) {
    return refusal('The link is wrong or incomplete, or it is for another page or site.');
  }
  if (date >= Number(time) * 1000) return refusal('The link has expired.');
  return { status: 'valid', id };
}

/**
 * Signs a text with a key that is derived from the secret for one page, so that no signature of a webhook with the
 * same secret is valid for a link, nor the reverse. The scheme of the page is not part of it, because a server
 * behind a proxy does not see it.
 */
async function sign(text: string, page: string, secret = ''): Promise<string> {
  const problem = secretProblem(secret);
  if (problem) throw new TypeError(`The secret for preview links ${problem}.`);
  // With `trailingSlash: 'ignore'`, a page has two paths.
  const label = `astro-articles preview\n${page.endsWith('/') ? page.slice(0, -1) : page}`;
  const key = await hmac(encode(secret), encode(label));
  return toHex(await hmac(key, encode(text)));
}
