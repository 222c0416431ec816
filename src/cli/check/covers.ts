import { createImages } from '../../images/download.ts';
import { ImageFault } from '../../images/image-request.ts';
import type { ResolvedOptions } from '../../options/options.ts';
import { systemClock } from '../../shared/clock.ts';
import { unsigned } from '../../shared/image-url.ts';
import { type Requests, RequestsUsedUp } from './check-requests.ts';
import type { Cover } from './check-rows.ts';
import type { Facts } from './facts.ts';
import { spread } from './spread.ts';

const sampledCovers = 8;

/** Downloads some covers and checks them as a sync does, and keeps none of them. */
export async function checkCovers(
  requests: Requests,
  { covers, options }: { covers: readonly Cover[]; options: ResolvedOptions },
): Promise<Pick<Facts['covers'], 'sampled' | 'failed'> & { usedUp: RequestsUsedUp | undefined }> {
  const byKey = new Map(covers.flatMap(({ url }) => (url ? [[unsigned(url), url] as const] : [])));
  const sample = spread([...byKey.values()], sampledCovers);
  let usedUp: RequestsUsedUp | undefined;
  const images = createImages({
    mirror: nowhere,
    baseUrl: requests.addresses.base,
    settings: { ...options.images, concurrency: 1 },
    clock: systemClock,
    deadline: systemClock.now() + options.totalTimeout,
    signal: new AbortController().signal,
    beforeRequest() {
      try {
        requests.spend();
      } catch (error) {
        if (!(error instanceof RequestsUsedUp)) throw error;
        usedUp = error;
        throw new ImageFault(error.message);
      }
    },
  });
  try {
    for (const url of sample) images.want(url, { changed: false });
    const { problems } = await images.finish();
    const all = [...problems.values()].map(({ url, reason }) => ({ url, reason }));
    const failed = all.filter(({ reason }) => reason !== usedUp?.message);
    return { sampled: sample.length - (all.length - failed.length), failed, usedUp };
  } finally {
    images.close();
  }
}

/** A mirror that forgets everything. */
const nowhere = {
  index: { images: new Map() },
  hasImage: async () => false,
  writeImage: async (_: Uint8Array, extension: string) => `not-kept.${extension}`,
};
