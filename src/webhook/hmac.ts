/** Returns the bytes of a text in UTF-8. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Decodes base64. Other texts have no bytes. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Returns the HMAC-SHA256 of some bytes. Web Crypto has it on all hosts. */
export async function hmac(secret: Uint8Array<ArrayBuffer>, bytes: BufferSource) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes));
}

/** Returns whether two texts are the same. The time that it takes depends on the length of `given` only. */
export function equalInConstantTime(given: string, expected: string): boolean {
  const [one, other] = [encode(given), encode(expected)];
  const differing = one.reduce((bits, byte, index) => bits | (byte ^ (other[index] ?? 0)), 0);
  return one.length === other.length && differing === 0;
}
