import { encode, fromHex, hmacKey, isSigned, secretProblem } from './verify-request.ts';

export interface PreviewUrlOptions {
  /** A secret that only the server knows, of at least 16 characters. */
  secret: string;
  /** How long the link is valid, in seconds, or the time at which it expires. @default 86_400, a day */
  expires?: number | Date;
  /** The URL of the preview page, such as `https://www.example.com/preview`. */
  page: URL | string;
}

export interface VerifyPreviewOptions {
  /** The secret that signed the link. */
  secret: string | undefined;
  /** The current time, in milliseconds since 1970. @default the current time */
  date?: number;
}

export type PreviewVerdict =
  | { status: 'valid' /** The id of the article that the link shows. */; id: string }
  | { status: 'refused'; reason: string };

const day = 86_400;

/**
 * Returns a link to the preview of one article, which expires: `page?id=…&expires=…&signature=…`. The signature
 * is an HMAC-SHA256 of the id and the time, so a link shows no other article, and no later.
 *
 * @throws {TypeError} when the secret is too short, the id is empty or the time is not valid
 */
export async function previewUrl(
  id: string,
  { secret, expires = day, page }: PreviewUrlOptions,
): Promise<string> {
  if (id === '') throw new TypeError('The id of the article to preview is empty.');
  const end = expires instanceof Date ? expires.getTime() / 1000 : Date.now() / 1000 + expires;
  const time = String(Math.floor(end));
  if (!isTime(time)) throw new TypeError('`expires` must be a number of seconds or a valid date.');
  const signature = await crypto.subtle.sign('HMAC', await keyOf(secret), signedText(id, time));
  const url = new URL(page);
  url.searchParams.set('id', id);
  url.searchParams.set('expires', time);
  url.searchParams.set('signature', toHex(new Uint8Array(signature)));
  return url.href;
}

/**
 * Checks a link of `previewUrl()`. The signature is compared in constant time, before the time is checked.
 *
 * @throws {TypeError} when the secret is missing or too short
 */
export async function verifyPreview(
  request: { url: string | URL },
  { secret, date = Date.now() }: VerifyPreviewOptions,
): Promise<PreviewVerdict> {
  const { searchParams } = new URL(request.url);
  const [id, time, signature] = ['id', 'expires', 'signature'].map((name) =>
    searchParams.get(name),
  );
  const key = await keyOf(secret);
  if (!id || !time || !signature) return refuse('The link is not complete.');
  if (!isTime(time) || !(await isSigned(key, fromHex(signature), signedText(id, time))))
    return refuse('The signature of the link is wrong.');
  if (date >= Number(time) * 1000) return refuse('The link has expired.');
  return { status: 'valid', id };
}

/** The time has digits only, so no other id and time give the same text. */
function signedText(id: string, time: string): Uint8Array<ArrayBuffer> {
  return encode(`astro-articles preview\n${time}\n${id}`);
}

function isTime(time: string): boolean {
  return /^\d{1,11}$/.test(time);
}

async function keyOf(secret: string | undefined): Promise<CryptoKey> {
  const problem = secretProblem(secret);
  if (problem) throw new TypeError(`The secret for preview links ${problem}.`);
  return hmacKey(encode(secret ?? ''));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function refuse(reason: string): PreviewVerdict {
  return { status: 'refused', reason };
}
