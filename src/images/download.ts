import { ArticlesRequestError } from '../errors.ts';
import { FailureError } from '../http/failure.ts';
import type { MirrorImage } from '../mirror/formats.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ImageProblem } from '../shared/finding.ts';
import { resolveImage } from '../shared/image-url.ts';
import { createHostRequests, type HostRequestsOptions } from './host-requests.ts';
import { verifyImage } from './verify.ts';

const hour = 3_600_000;
/** The longest time, and that of a response that says nothing of it. Services send long ones for files that they replace. */
const maxFreshness = 24 * hour;

/** An SVG is never shown. With its file, which is empty, its URL is not requested in each load. */
const svg = { extension: 'svg' } as const;
const empty = new Uint8Array();

export interface ImagesOptions extends HostRequestsOptions {
  mirror: Mirror;
  /** The size limit of an image in bytes. */
  maxBytes: number;
}

/** An image to download, or to revalidate. */
export interface WantedImage {
  /** Its URL as an article contains it. */
  url: string;
  /** Whether an article that shows it is new or has changed. */
  changed: boolean;
  /**
   * Whether a response of this load contained the URL. The signature of another URL may have expired, so its image is
   * requested only if its file is missing.
   */
  isCurrent: boolean;
}

/**
 * Downloads new images and revalidates stale ones, each with at most one request and its retries. If an
 * image could not be downloaded, that is reported as its problem, and the file of an earlier load is used. When it
 * throws, other downloads may still run: the caller aborts the signal, after which nothing is written.
 *
 * @param wanted by URL without a signature
 * @returns the images and the problems, by URL without a signature
 * @throws {ArticlesMirrorError} when the mirror cannot be read or written
 */
export async function downloadImages(
  wanted: ReadonlyMap<string, WantedImage>,
  options: ImagesOptions,
) {
  const { mirror, baseUrl, maxBytes, clock, signal } = options;
  const request = createHostRequests(options);
  const images = new Map<string, MirrorImage>();
  const problems = new Map<string, ImageProblem>();

  async function update([key, { url, changed, isCurrent }]: [string, WantedImage]): Promise<void> {
    const kept = keptImage(key);
    if (kept) images.set(key, kept);
    const isSigned = key !== url;
    // If the service signs the URL again in every response, its article changes every time, and the image does not.
    const mayHaveChanged = changed && !isSigned;
    if (kept && ((isFresh(kept) && !mayHaveChanged) || (isSigned && !isCurrent))) return;

    const problem = await replaceImage(key, url, kept);
    if (problem) problems.set(key, { ...problem, kept: kept !== undefined });
  }

  /** Downloads an image. Returns why it cannot be used, if it cannot. */
  async function replaceImage(
    key: string,
    url: string,
    kept: MirrorImage | undefined,
  ): Promise<Omit<ImageProblem, 'kept'> | undefined> {
    const resolved = resolveImage(url, baseUrl);
    if (typeof resolved === 'string') return { reason: resolved, remedy: correctIt };
    try {
      images.set(key, { url: key, ...(await download(resolved, kept)) });
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ArticlesRequestError)) throw error;
      const isOfService = resolved.origin === baseUrl.origin;
      return { reason: reasonOfFailure(error), remedy: remedyOfFailure(error, isOfService) };
    }
  }

  /** Returns the file of an earlier load, if it exists and the options still allow it. */
  function keptImage(key: string): MirrorImage | undefined {
    const known = mirror.index.images.get(key);
    return known && known.bytes <= maxBytes && mirror.hasImage(known) ? known : undefined;
  }

  function isFresh({ freshUntil }: MirrorImage): boolean {
    const freshFor = freshUntil - clock.date();
    // A date too far in the future comes from a clock that was wrong.
    return freshFor > 0 && freshFor <= maxFreshness;
  }

  async function download(url: URL, kept: MirrorImage | undefined) {
    return request<Omit<MirrorImage, 'url'>>({
      url,
      maxBytes,
      headers: kept && conditionOf(kept),
      acceptStatus: kept && [200, 304],
      readHead(response) {
        if (!kept || !isSameImage(kept, response)) return undefined;
        // A 304 changes only what it says (RFC 9111, 4.3.4).
        const { freshForMs } = response.status === 304 ? kept : {};
        return { ...kept, ...freshnessOf(response.headers, clock.date(), freshForMs) };
      },
      async read(body, { headers }) {
        const { extension, ...facts } = await verifyImage(body).catch((error) => {
          const isSvg = /^image\/svg\+xml/i.test(headers.get('content-type') ?? '');
          // A file that was good before stays.
          const isKept = kept && !kept.file.endsWith('.svg');
          if (error instanceof FailureError && isSvg && !isKept) return svg;
          throw error;
        });
        // Nothing may be written after the load has failed.
        signal.throwIfAborted();
        const file = mirror.writeImage(extension === 'svg' ? empty : body, extension);
        const freshness = freshnessOf(headers, clock.date());
        return { file, bytes: body.byteLength, ...facts, ...validatorOf(headers), ...freshness };
      },
    });
  }

  await Promise.all([...wanted].map(update));
  return { images, problems };
}

/** Returns the headers of a request for an image only if it has changed (RFC 9110, 13.1). */
function conditionOf({ etag, lastModified }: MirrorImage): Record<string, string> {
  if (etag) return { 'if-none-match': etag };
  return lastModified ? { 'if-modified-since': lastModified } : {};
}

/** Returns the validator of a response: its ETag, or else its date. */
function validatorOf(headers: Headers): Pick<MirrorImage, 'etag' | 'lastModified'> {
  const etag = headers.get('etag');
  const lastModified = headers.get('last-modified');
  if (etag) return { etag };
  return lastModified ? { lastModified } : {};
}

/** Returns whether a response says that an image is the same. Some servers ignore conditions, and send the whole file. */
function isSameImage(
  { lastModified, bytes }: MirrorImage,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
): boolean {
  if (status === 304) return true;
  const isSameDate = lastModified !== undefined && headers.get('last-modified') === lastModified;
  return isSameDate && headers.get('content-length') === String(bytes);
}

/** Describes a failure without the service and its API key, because another host sent the response. */
function reasonOfFailure({ code, status = 200, reason }: ArticlesRequestError): string {
  return status !== 200 && code !== 'redirect' ? `its server responded ${status}` : reason;
}

/** Says what to do about an image that no setting of the site makes usable. */
export const correctIt = 'Correct it in the service.';
/** The failures that pass, or have a cause between this machine and the host. */
const passing: readonly string[] = [
  'network',
  'dns',
  'timeout',
  'server-error',
  'throttled',
  'unavailable',
];

/** Returns what to do about a failure. Other hints of errors are about the service and its key. */
function remedyOfFailure(
  { code, status, hint = '' }: ArticlesRequestError,
  isOfService: boolean,
): string {
  if (isOfService && code === 'unauthorized') return 'The option `fetch` can add what it requires.';
  if (hint.includes('PROXY') || code === 'tls') return hint.split('\n')[0] ?? '';
  if (code === 'body-too-large')
    return 'Raise `images.maxBytes`, or save a smaller file in the service.';
  if (passing.includes(code))
    return 'Try again later. If it persists, correct the URL in the service.';
  // An address that is not public has no status, and its reason says what to do.
  return code === 'refused' && status === undefined ? '' : correctIt;
}

/**
 * Returns for how long an image is fresh: for `max-age` (RFC 9111, 4.2.1), at most a day, which is the default; at no
 * time with `no-cache` or `no-store` (5.2.2).
 *
 * @param storedMs the time of an earlier response, for a response without `Cache-Control`
 */
function freshnessOf(
  headers: Headers,
  date: number,
  storedMs?: number,
): Pick<MirrorImage, 'freshUntil' | 'freshForMs'> {
  const cacheControl = headers.get('cache-control');
  const freshForMs = cacheControl === null ? storedMs : lifetimeOf(cacheControl);
  const freshUntil = date + (freshForMs ?? maxFreshness);
  return freshForMs === undefined ? { freshUntil } : { freshUntil, freshForMs };
}

/** Returns for how long `Cache-Control` lets a response be used, in milliseconds; undefined if it says nothing of it. */
function lifetimeOf(cacheControl: string): number | undefined {
  if (/(?:^|[\s,])no-(?:cache|store)\b/i.test(cacheControl)) return 0;
  const age = /(?:^|[\s,])max-age=(\d+)/i.exec(cacheControl)?.[1];
  return age ? Math.min(Number(age) * 1000, maxFreshness) : undefined;
}
