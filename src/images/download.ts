import pLimit from 'p-limit';
import { FaultSignal } from '../client/http/failure.ts';
import { createPace, type Pace } from '../client/http/rate-limit.ts';
import { backoff } from '../client/http/retry.ts';
import type { MirrorImage } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { type Clock, sleep } from '../shared/clock.ts';
import { resolveImage, shownUrl, unsigned } from '../shared/image-url.ts';
import { createImageClient, type ImageAnswer, ImageFault } from './image-request.ts';
import { cleanSvg, isSvg } from './svg.ts';
import { imageFault, sniff } from './verify.ts';

export interface ImagesOptions {
  mirror: Pick<Mirror, 'hasImage' | 'writeImage'> & { index: Pick<Mirror['index'], 'images'> };
  baseUrl: URL;
  settings: ResolvedOptions['images'];
  clock: Clock;
  deadline: number;
  signal: AbortSignal;
  /** Called before each request; what it throws is why the image could not be had. */
  beforeRequest?: (() => void) | undefined;
}

/** An image that could not be had, and what stands in for it. */
export interface ImageProblem {
  /** Without the query, which may be a credential. */
  url: string;
  reason: string;
  /** Whether the file of an earlier sync stays. */
  kept: boolean;
}

export interface Images {
  /**
   * Begins to fetch an image, once for all articles that show it. One whose article has `changed` is
   * asked for even while it is fresh: it may have been replaced together with the text.
   */
  want(url: string, article: { changed: boolean }): void;
  /** Waits for all that is wanted. An image that cannot be had is a problem, not a rejection. */
  finish(): Promise<{ images: Map<string, MirrorImage>; problems: Map<string, ImageProblem> }>;
  /** Waits until nothing is under way any more, whatever came of it. */
  settled(): Promise<unknown>;
  close(): void;
}

type StoredImage = Omit<MirrorImage, 'url'>;

const tries = 3;
/** Requests to one host under way at once: image hosts are seldom ours alone. */
const perHost = 6;
const longestPause = 30_000;
const mostTimeouts = 6;
const hour = 3_600_000;
const defaultFreshness = 24 * hour;
const longestFreshness = 30 * 24 * hour;

/** Keeps the mirror's images up to date: each is asked for at most once per sync. */
export function createImages(options: ImagesOptions): Images {
  const { mirror, baseUrl, settings, clock, deadline, signal } = options;
  const client = createImageClient(isTrusted, options.beforeRequest);
  const limit = pLimit(settings.concurrency);
  const wanted = new Map<string, { task: Promise<void>; suspect: boolean }>();
  const asked = new Set<string>();
  const paces = new Map<string, Pace>();
  /** By host, how many requests in a row it left unanswered. */
  const timeouts = new Map<string, number>();
  const missed = (host: string) => timeouts.get(host) ?? 0;
  const images = new Map<string, MirrorImage>();
  const problems = new Map<string, ImageProblem>();

  /** The service's own origin, and hosts that the user named, may be on private addresses. */
  function isTrusted(url: URL): boolean {
    const { allowPrivateHosts } = settings;
    return (
      url.origin === baseUrl.origin ||
      allowPrivateHosts.some((host) => host.toLowerCase() === url.hostname)
    );
  }

  function paceOf({ host }: URL): Pace {
    const pace = paces.get(host) ?? createPace({ concurrency: perHost, clock });
    paces.set(host, pace);
    return pace;
  }

  function want(given: string, { changed }: { changed: boolean }): void {
    const key = unsigned(given);
    // A signed address is new in every article, so it says nothing about the image.
    const suspect = changed && key === given;
    const earlier = wanted.get(key);
    if (earlier && (earlier.suspect || !suspect)) return;
    const task = (earlier?.task ?? Promise.resolve()).then(() => update(key, { given, suspect }));
    // finish() reports it; until then nobody may be waiting.
    task.catch(() => undefined);
    wanted.set(key, { task, suspect });
  }

  async function update(
    key: string,
    { given, suspect }: { given: string; suspect: boolean },
  ): Promise<void> {
    if (asked.has(key)) return;
    const known = mirror.index.images.get(key);
    const present = known && (await mirror.hasImage(known)) ? known : undefined;
    if (present && !suspect && present.freshUntil > clock.date()) {
      images.set(key, present);
      return;
    }
    asked.add(key);
    try {
      images.set(key, { url: key, ...(await fetchImage(given, present)) });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ImageFault)) throw error;
      if (present) images.set(key, present);
      problems.set(key, { url: shownUrl(given), reason: error.message, kept: Boolean(present) });
    }
  }

  async function fetchImage(given: string, present: MirrorImage | undefined): Promise<StoredImage> {
    const resolved = resolveImage(given, baseUrl);
    if ('fault' in resolved) throw new ImageFault(resolved.fault);
    const { url } = resolved;
    const pace = paceOf(url);
    for (let attempt = 1; ; attempt++) {
      try {
        // First the turn of its host, then a place among all: one host keeps no other waiting.
        const image = await pace.run(() => limit(() => ask(url, present)), { deadline, signal });
        pace.advance();
        return image;
      } catch (error) {
        if (error instanceof FaultSignal) throw new ImageFault(error.message);
        const again = error instanceof ImageFault && error.transient && attempt < tries;
        if (!again) throw error;
        const { throttled, retryAfter = backoff(attempt, clock.random()) } = error;
        if (retryAfter > longestPause || clock.now() + retryAfter >= deadline) throw error;
        if (throttled) pace.pause(retryAfter);
        else await sleep(clock, retryAfter, signal);
      }
    }
  }

  /** Asks a host, unless it has kept quiet too often: each time-out holds up everybody's build. */
  async function ask(url: URL, present: MirrorImage | undefined): Promise<StoredImage> {
    const { host } = url;
    if (missed(host) >= mostTimeouts)
      throw new ImageFault(`${host} has not answered several times`);
    try {
      const image = await fetchOnce(url, present);
      timeouts.delete(host);
      return image;
    } catch (error) {
      if (error instanceof ImageFault && error.timedOut) timeouts.set(host, missed(host) + 1);
      else timeouts.delete(host);
      throw error;
    }
  }

  async function fetchOnce(url: URL, present: MirrorImage | undefined): Promise<StoredImage> {
    const abort = new AbortController();
    const timeLeft = Math.max(0, Math.min(settings.timeout, deadline - clock.now()));
    const cancel = clock.after(timeLeft, () => abort.abort());
    try {
      const answer = await client.request({
        url,
        validators: present,
        maxBytes: settings.maxBytes,
        date: clock.date(),
        signal: AbortSignal.any([abort.signal, signal]),
      });
      return answer.status === 'unchanged' && present
        ? { ...present, freshUntil: freshUntil(answer.headers['cache-control']) }
        : await store(answer);
    } finally {
      cancel();
    }
  }

  async function store(answer: ImageAnswer): Promise<StoredImage> {
    const given = answer.status === 'fetched' ? answer.bytes : new Uint8Array();
    const { bytes, extension } = recognise(given);
    const fault = await imageFault(bytes, settings.maxPixels);
    if (fault) throw new ImageFault(fault.reason, fault);

    const { etag, 'last-modified': lastModified, 'cache-control': cacheControl } = answer.headers;
    return {
      file: await mirror.writeImage(bytes, extension),
      bytes: bytes.byteLength,
      ...(etag ? { etag } : {}),
      ...(lastModified ? { lastModified } : {}),
      freshUntil: freshUntil(cacheControl),
    };
  }

  /** Tells an image by its bytes, and takes from an SVG what does more than draw. */
  function recognise(given: Uint8Array): { bytes: Uint8Array; extension: string } {
    const extension = sniff(given);
    if (extension) return { bytes: given, extension };
    const svg = settings.svg && isSvg(given) ? cleanSvg(given) : undefined;
    if (svg) return { bytes: svg, extension: 'svg' };
    if (!isSvg(given)) {
      throw new ImageFault('it is no JPEG, PNG, WebP, AVIF or GIF', { transient: true });
    }
    throw new ImageFault(
      settings.svg
        ? 'it is an SVG image without a size'
        : 'it is an SVG image (`images.svg` would take it)',
    );
  }

  /** `max-age` within reason (RFC 9111, 4.2.1), or a day: what has a URL of its own seldom changes. */
  function freshUntil(cacheControl = ''): number {
    const age = /(?:^|[\s,])max-age=(\d+)/i.exec(cacheControl)?.[1];
    const freshness = age ? Math.min(Number(age) * 1000, longestFreshness) : defaultFreshness;
    return clock.date() + freshness;
  }

  const tasks = () => [...wanted.values()].map(({ task }) => task);

  async function finish() {
    await Promise.all(tasks());
    return { images, problems };
  }

  const settled = () => Promise.allSettled(tasks());
  return { want, finish, settled, close: client.close };
}
