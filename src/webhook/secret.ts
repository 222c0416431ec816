import { signingKeys } from './verify-request.ts';

/** The smallest number of characters of a secret. */
const minLength = 16;

/**
 * Returns why a secret protects nothing; undefined when it is usable. The text never contains the secret.
 *
 * @param secret a text, or a signing secret of Standard Webhooks, which begins with `whsec_`
 */
export function secretProblem(secret: string | undefined): string | undefined {
  if (!secret) return 'is missing or empty';
  // A variable that is not set can become such a text.
  if (/^(undefined|null)$/.test(secret)) return `is the text "${secret}"`;
  if (secret.length < minLength) {
    return `has ${secret.length} characters, and needs at least ${minLength}`;
  }
  if (signingKeys(secret).length === 0) return 'is not base64 after "whsec_"';
  return undefined;
}
