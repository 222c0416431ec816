/** The parts of a request that show who sent it. */
export interface SignedRequest {
  url: URL;
  headers: Headers;
  /** The body as it was received, because signatures cover its bytes. */
  body: Uint8Array<ArrayBuffer>;
}

export interface VerifyOptions {
  /** The shared secret, or a signing secret that begins with `whsec_`. */
  secret: string;
  /** The time of day, in milliseconds since 1970. @default the current time */
  date?: number;
  /**
   * The signed deliveries that were accepted, with the time after which each can be forgotten. Keep one map
   * for all requests, so that a delivery is accepted once. Remove a delivery to accept it again.
   */
  deliveries?: Map<string, number>;
}

export type Verdict =
  | { status: 'valid' /** Its key in `deliveries`. */; delivery?: string }
  | { status: 'refused'; reason: string };

/** The largest difference between the time of a signature and the current time, in milliseconds. */
const tolerance = 5 * 60_000;
/** During a rotation, a request carries one signature for each secret. */
const maxSignatures = 8;
const secretPrefix = 'whsec_';
/** The smallest number of characters of a secret. */
const minSecretLength = 16;

/**
 * Checks that the sender of a request knows the secret. Accepts the secret as `?secret=` or as a bearer
 * token, a signature of the Standard Webhooks specification, or `X-Hub-Signature-256`. One valid proof is
 * enough. Secrets and signatures are compared in constant time.
 */
export async function verifyRequest(
  request: SignedRequest,
  { secret, date = Date.now(), deliveries = new Map() }: VerifyOptions,
): Promise<Verdict> {
  let refusal: Verdict = refuse('The secret or the signature is missing.');
  for (const verify of [verifyStandard, verifyHub, verifyText]) {
    const verdict = await verify(request, { secret, date, deliveries });
    if (verdict?.status === 'valid') return verdict;
    refusal = verdict ?? refusal;
  }
  return refusal;
}

/** Returns the possible signing keys of a secret; none when it cannot be used. */
export function signingKeys(secret: string): Uint8Array<ArrayBuffer>[] {
  const isEncoded = secret.startsWith(secretPrefix);
  const decoded = fromBase64(isEncoded ? secret.slice(secretPrefix.length) : secret);
  // Without the prefix, the specification's own libraries decode the secret, too.
  const keys = isEncoded ? [decoded] : [encode(secret), decoded];
  return keys.flatMap((key) => (key && key.length > 0 ? [key] : []));
}

/**
 * Returns why a secret protects nothing; undefined when it is usable. The text never contains the secret.
 *
 * @param secret a text, or a signing secret of Standard Webhooks, which begins with `whsec_`
 */
export function secretProblem(secret: string | undefined): string | undefined {
  if (!secret) return 'is missing or empty';
  // A variable that is not set can become such a text.
  if (/^(undefined|null)$/.test(secret)) return `is the text "${secret}"`;
  if (secret.length < minSecretLength) {
    return `needs at least ${minSecretLength} characters, and has ${secret.length}`;
  }
  if (signingKeys(secret).length === 0) return 'is not base64 after "whsec_"';
  return undefined;
}

type Verify = (
  request: SignedRequest,
  options: Required<VerifyOptions>,
) => Promise<Verdict | undefined>;

/** Standard Webhooks 1.0.0, "Signature scheme". */
const verifyStandard: Verify = async ({ headers, body }, { secret, date, deliveries }) => {
  const signatures = headers.get('webhook-signature');
  if (signatures === null) return undefined;
  const id = headers.get('webhook-id') ?? '';
  const time = headers.get('webhook-timestamp') ?? '';
  // With a full stop in the id, a part of the body could be taken as the timestamp.
  if (!/^[^.]+$/.test(id) || !/^\d{1,11}$/.test(time)) {
    return refuse('Its webhook-id or webhook-timestamp header is missing or malformed.');
  }
  const signed = await new Blob([`${id}.${time}.`, body]).arrayBuffer();
  const keys = await Promise.all(signingKeys(secret).map(hmacKey));
  const given = signatures.split(' ').slice(0, maxSignatures).flatMap(decodeVersion1);
  const results = keys.flatMap((key) => given.map((bytes) => isSigned(key, bytes, signed)));
  if (!(await Promise.all(results)).includes(true)) {
    return refuse('Its webhook-signature is wrong.');
  }
  const sent = Number(time) * 1000;
  if (Math.abs(date - sent) > tolerance) {
    return refuse('Its webhook-timestamp is more than 5 minutes away from the current time.');
  }
  for (const [known, until] of deliveries) if (until < date) deliveries.delete(known);
  const delivery = `${id}.${time}`;
  if (deliveries.has(delivery)) return refuse('It was received before.');
  deliveries.set(delivery, sent + tolerance);
  return { status: 'valid', delivery };
};

/** GitHub's scheme: a signature of the body alone, without protection against replays. */
const verifyHub: Verify = async ({ headers, body }, { secret }) => {
  const header = headers.get('x-hub-signature-256');
  if (header === null) return undefined;
  const given = fromHex(/^sha256=(.*)$/i.exec(header)?.[1] ?? '');
  const isValid = await isSigned(await hmacKey(encode(secret)), given, body);
  return isValid ? { status: 'valid' } : refuse('Its X-Hub-Signature-256 is wrong.');
};

const verifyText: Verify = async ({ url, headers }, { secret }) => {
  const bearer = /^Bearer +(\S.*)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const given = [...url.searchParams.getAll('secret'), ...(bearer ? [bearer] : [])];
  if (given.length === 0) return undefined;
  // The signature of a text is valid for the secret only if both are the same.
  const key = await hmacKey(encode(secret));
  const results = given.map(async (text) =>
    isSigned(key, await crypto.subtle.sign('HMAC', key, encode(text)), encode(secret)),
  );
  return (await Promise.all(results)).includes(true)
    ? { status: 'valid' }
    : refuse('The secret is wrong.');
};

function refuse(reason: string): Verdict {
  return { status: 'refused', reason };
}

function decodeVersion1(signature: string): Uint8Array<ArrayBuffer>[] {
  const [version, text = ''] = signature.split(',');
  const bytes = version === 'v1' ? fromBase64(text) : undefined;
  return bytes ? [bytes] : [];
}

/** Imports a key of HMAC-SHA256. */
export function hmacKey(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', secret, algorithm, false, ['sign', 'verify']);
}

/** Compares in constant time. */
export function isSigned(
  key: CryptoKey,
  signature: BufferSource,
  bytes: BufferSource,
): Promise<boolean> {
  return crypto.subtle.verify('HMAC', key, signature, bytes);
}

/** Returns the bytes of a text in UTF-8. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Decodes a signature of 64 hexadecimal digits; no bytes for other texts, which are never a valid signature. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const hex = /^[0-9a-f]{64}$/i.test(text) ? text : '';
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
