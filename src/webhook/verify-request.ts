import { encode, equalInConstantTime, fromBase64, hmac, toBase64, toHex } from './hmac.ts';
import { secretProblem } from './secret.ts';

/** The parts of a request that show who sent it. */
export interface SignedRequest {
  url: URL;
  headers: Headers;
  /** The body as it was received, because signatures cover its bytes. */
  body: Uint8Array<ArrayBuffer>;
}

export interface VerifyOptions {
  /** The shared secret of at least 16 bytes, or a signing secret that begins with `whsec_`. */
  secret: string | undefined;
  /** The time of day, in milliseconds since 1970. @default the current time */
  date?: number;
  /**
   * The signed deliveries that were accepted, with the time after which each can be forgotten. Keep one map
   * for all requests, so that a delivery is accepted once. Remove a delivery to accept it again.
   */
  deliveries?: Map<string, number>;
}

export type Refusal = { status: 'refused'; reason: string };
export type Verdict =
  | { status: 'valid' /** Its key in `deliveries`. */; delivery?: string }
  | Refusal;

/** The largest difference between the time of a signature and the current time, in milliseconds. */
const tolerance = 5 * 60_000;
const secretPrefix = 'whsec_';

/**
 * Checks that the sender of a request knows the secret. Accepts the secret as `?secret=` or as a bearer
 * token, a signature of the Standard Webhooks specification, or `X-Hub-Signature-256`. One valid proof is
 * enough. Secrets and signatures are compared in constant time.
 *
 * @throws {TypeError} when the secret is missing or can be guessed
 */
export async function verifyRequest(
  request: SignedRequest,
  { secret = '', date = Date.now(), deliveries = new Map() }: VerifyOptions,
): Promise<Verdict> {
  const problem = keyProblem(secret);
  if (problem) throw new TypeError(`The secret ${problem}.`);
  const { url, headers, body } = request;
  const bearer = /^Bearer +(\S.*)/i.exec(headers.get('authorization') ?? '')?.[1] ?? [];
  const secrets = url.searchParams.getAll('secret').concat(bearer);
  if (secrets.some((given) => equalInConstantTime(given, secret))) return { status: 'valid' };
  // GitHub's scheme: a signature of the body alone, without protection against replays.
  const signature = headers.get('x-hub-signature-256')?.toLowerCase();
  const expected = `sha256=${toHex(await hmac(encode(secret), body))}`;
  if (signature && equalInConstantTime(signature, expected)) return { status: 'valid' };
  const options = { secret, date, deliveries };
  if (headers.has('webhook-signature')) return verifyStandard(request, options);
  const isGiven = signature !== undefined || secrets.length > 0;
  return refusal(`The secret or the signature is ${isGiven ? 'wrong' : 'missing'}.`);
}

/** Standard Webhooks 1.0.0, "Signature scheme". */
async function verifyStandard(
  { headers, body }: SignedRequest,
  { secret, date, deliveries }: Required<VerifyOptions> & { secret: string },
): Promise<Verdict> {
  const signatures = headers.get('webhook-signature')?.split(' ') ?? [];
  const id = headers.get('webhook-id') ?? '';
  const time = headers.get('webhook-timestamp') ?? '';
  // With a full stop in the id, a part of the body could be taken as the timestamp.
  if (!/^[^.]+$/.test(id) || !/^\d{1,11}$/.test(time)) {
    return refusal('Its webhook-id or webhook-timestamp header is missing or malformed.');
  }
  const signed = await new Blob([`${id}.${time}.`, body]).arrayBuffer();
  const expected = `v1,${toBase64(await hmac(signingKey(secret), signed))}`;
  if (!signatures.some((given) => equalInConstantTime(given, expected))) {
    return refusal('Its webhook-signature is wrong.');
  }
  const sent = Number(time) * 1000;
  if (Math.abs(date - sent) > tolerance) {
    return refusal('Its webhook-timestamp is more than 5 minutes away from the current time.');
  }
  for (const [known, until] of deliveries) if (until < date) deliveries.delete(known);
  const delivery = `${id}.${time}`;
  if (deliveries.has(delivery)) return refusal('It was received before.');
  deliveries.set(delivery, sent + tolerance);
  return { status: 'valid', delivery };
}

/** Returns why a secret protects nothing; undefined when it is usable. The text never contains the secret. */
export function keyProblem(secret = ''): string | undefined {
  return secretProblem(secret, secret.startsWith(secretPrefix) ? signingKey(secret) : undefined);
}

/** Returns the key of signatures: the bytes of the secret, of which those after `whsec_` are decoded. */
function signingKey(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith(secretPrefix)) return encode(secret);
  return fromBase64(secret.slice(secretPrefix.length));
}

export function refusal(reason: string): Refusal {
  return { status: 'refused', reason };
}
