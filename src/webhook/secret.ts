/** The smallest number of bytes of a secret. */
const minBytes = 16;
/** The smallest number of different characters or bytes of a secret. A random secret of 16 bytes has more. */
const minDifferent = 10;
/** Matches what a variable without a value leaves, and the start of a placeholder: `$SECRET`, `%SECRET%`, `{secret}`, `<secret>`. */
const placeholder = /^(?:undefined|null)+$|^[$%{<[]|\$\{/;

/**
 * Returns why a shared secret of a webhook, of preview links or of refresh requests protects nothing; undefined when it is
 * usable. The text continues a sentence that begins with the name of the secret, and never contains the secret.
 *
 * A usable secret has at least 16 bytes that are not blanks, ten of them different, and is not what remains of a variable
 * that was not set or not expanded. It uses nothing of Node, because webhooks run in edge functions.
 *
 * @param secret the secret as it was configured
 * @param bytes the bytes of the key, where the secret is decoded (`whsec_`, base64, hexadecimal). Each of them counts.
 *   @default the text in UTF-8, without blanks
 */
export function secretProblem(secret: string, bytes?: Uint8Array): string | undefined {
  const text = secret.replace(/[\s\p{Cf}]/gu, '');
  if (text === '') return 'is missing or empty';
  if (placeholder.test(text))
    return 'is a placeholder, or a variable that is not set or not expanded';
  const { length } = bytes ?? new TextEncoder().encode(text);
  if (length < minBytes)
    return `needs at least ${minBytes} bytes ${bytes ? 'of base64 after its prefix' : 'that are not blanks'}, and has ${length}`;
  const different = new Set<unknown>(bytes ?? text).size;
  if (different >= minDifferent) return undefined;
  return `needs at least ${minDifferent} different ${bytes ? 'bytes' : 'characters'}, and has ${different}`;
}
