import { ArticlesRequestError } from '../errors.ts';
import { validatorsOf } from '../http/validators.ts';
import type { MirrorImage } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { Clock } from '../shared/clock.ts';
import { printableUrl, resolveImage } from '../shared/image-url.ts';
import { type GuardOptions, hostOf } from './guarded-fetch.ts';
import { createHostRequests } from './host-requests.ts';
import { verifyImage } from './verify.ts';

const hour = 3_600_000;
const defaultFreshness = 24 * hour;
const maxFreshness = 30 * 24 * hour;

export interface ImagesOptions {
  mirror: Pick<Mirror, 'hasImage' | 'writeImage'> & { index: Pick<Mirror['index'], 'images'> };
  baseUrl: URL;
  settings: ResolvedOptions['images'];
  clock: Clock;
  deadline: number;
  signal: AbortSignal;
  /** Resolves host names. @default the system's resolver */
  lookup?: GuardOptions['lookup'] | undefined;
}

export interface ImageProblem {
  /** Without the query, which may be a credential. */
  url: string;
  reason: string;
  /** Whether the file of an earlier load is still used. */
  kept: boolean;
}

export interface DownloadedImages {
  /** By URL without a signature. */
  images: Map<string, MirrorImage>;
  /** By URL without a signature. */
  problems: Map<string, ImageProblem>;
  requests: number;
}

/** An image to download, or to revalidate. */
export interface WantedImage {
  /** Its URL as an article contains it. */
  url: string;
  /** Whether an article that shows it is new or has changed. */
  changed: boolean;
}

/**
 * Downloads new images and revalidates stale ones, each with at most one request and its retries. If an
 * image could not be downloaded, that is reported as its problem, and the file of an earlier load is used.
 *
 * @param wanted by URL without a signature
 * @throws {ArticlesMirrorError} when the mirror cannot be read or written
 */
export async function downloadImages(
  wanted: ReadonlyMap<string, WantedImage>,
  options: ImagesOptions,
): Promise<DownloadedImages> {
  const { mirror, baseUrl, settings, clock } = options;
  const abort = new AbortController();
  const signal = AbortSignal.any([options.signal, abort.signal]);
  const requests = createHostRequests({ ...options, ...settings, signal, isTrusted });
  const images = new Map<string, MirrorImage>();
  const problems = new Map<string, ImageProblem>();

  /** Whether a URL may lead to a private address: on the service's own origin, or a host that is allowed. */
  function isTrusted(url: URL): boolean {
    const names = [url.hostname, url.host, hostOf(url)];
    const isNamed = (host: string) => names.includes(host.toLowerCase());
    return url.origin === baseUrl.origin || settings.allowPrivateHosts.some(isNamed);
  }

  async function update(key: string, { url, changed }: WantedImage): Promise<void> {
    const known = mirror.index.images.get(key);
    const isUsable = known && isAllowed(known, settings) && (await mirror.hasImage(known));
    const kept = isUsable ? known : undefined;
    if (kept) images.set(key, kept);
    // If the service signs the URL again in every response, its article changes every time, and the image does not.
    const mayHaveChanged = changed && key === url;
    if (kept && !mayHaveChanged && isFresh(kept, clock.date())) return;

    const resolved = resolveImage(url, baseUrl);
    try {
      if (resolved.status === 'invalid') problem(resolved.reason);
      else images.set(key, { url: key, ...(await download(resolved.url, kept)) });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ArticlesRequestError)) throw error;
      problem(reasonOf(error, settings));
    }

    function problem(reason: string): void {
      problems.set(key, { url: printableUrl(url), reason, kept: kept !== undefined });
    }
  }

  async function download(url: URL, kept: MirrorImage | undefined) {
    return requests.request({
      url,
      maxBytes: settings.maxBytes,
      validators: kept,
      read: (body, { status, headers }) =>
        status === 304 && kept
          ? { ...kept, freshUntil: freshUntil(headers.get('cache-control'), clock.date()) }
          : store(body, headers),
    });
  }

  async function store(body: Uint8Array, headers: Headers): Promise<Omit<MirrorImage, 'url'>> {
    const { bytes, extension, ...facts } = await verifyImage(body, settings);
    // Nothing may be written after the load has failed.
    signal.throwIfAborted();
    return {
      file: await mirror.writeImage(bytes, extension),
      bytes: bytes.byteLength,
      ...facts,
      ...validatorsOf(headers),
      freshUntil: freshUntil(headers.get('cache-control'), clock.date()),
    };
  }

  const tasks = [...wanted].map(([key, image]) => update(key, image));
  try {
    await Promise.all(tasks);
    return { images, problems, requests: requests.count() };
  } catch (error) {
    abort.abort(error);
    // Downloads that are still running may write files, so they have to end before the caller continues.
    await Promise.allSettled(tasks);
    throw error;
  } finally {
    await requests.close();
  }
}

/** Whether the options still accept an image that was downloaded earlier. */
function isAllowed(
  { bytes, pixels, isFromSvg }: MirrorImage,
  { maxBytes, maxPixels, svg }: ImagesOptions['settings'],
): boolean {
  return bytes <= maxBytes && pixels <= maxPixels && (svg || !isFromSvg);
}

/** Describes a failure without the service and its API key, because another host sent the response. */
function reasonOf(
  { code, status, reason }: ArticlesRequestError,
  { maxBytes, timeout }: ImagesOptions['settings'],
): string {
  if (status !== undefined) return `its server responded ${status}`;
  if (code === 'body-too-large') return `it is larger than ${maxBytes} bytes (\`images.maxBytes\`)`;
  if (code === 'timeout') return `its download took longer than ${timeout} ms (\`images.timeout\`)`;
  return reason;
}

/**
 * Returns the date until which an image is fresh: after `max-age` (RFC 9111, 4.2.1), at most 30 days; by
 * default after a day, because an image that changes usually has a new URL.
 */
function freshUntil(cacheControl: string | null, date: number): number {
  const age = /(?:^|[\s,])max-age=(\d+)/i.exec(cacheControl ?? '')?.[1];
  return date + (age ? Math.min(Number(age) * 1000, maxFreshness) : defaultFreshness);
}

/** Whether an image needs no request. A date too far in the future comes from a clock that was wrong. */
function isFresh(image: { freshUntil: number }, date: number): boolean {
  return image.freshUntil > date && image.freshUntil <= date + maxFreshness;
}
