import type { Exchange, Requests } from './check-requests.ts';
import type { Conditional } from './facts.ts';

/** Asks for the same once more, only if it has changed. */
export async function askAgain(
  { probe }: Requests,
  passed: readonly Exchange[],
): Promise<Conditional | null> {
  const last = passed.at(-1);
  if (!last) return null;
  const etag = last.headers.get('etag');
  const modified = last.headers.get('last-modified');
  const validators = { etag: etag !== null, lastModified: modified !== null };
  if (!etag && !modified) return { ...validators, notModified: false };
  const answers = await probe(new URL(last.url), {
    ...(etag ? { 'if-none-match': etag } : {}),
    ...(modified ? { 'if-modified-since': modified } : {}),
  });
  const status = answers.at(-1)?.status;
  return { ...validators, notModified: status === 304 || (status === 200 ? false : null) };
}
