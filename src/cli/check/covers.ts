import { platform } from '../../client/world.ts';
import { ImageFault } from '../../mirror/image-request.ts';
import { unsigned } from '../../mirror/image-url.ts';
import { createImages } from '../../mirror/images.ts';
import type { ResolvedOptions } from '../../options.ts';
import type { Facts } from './facts.ts';
import { type Requests, RequestsUsedUp } from './requests.ts';
import type { Cover } from './rows.ts';
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
    world: platform,
    deadline: platform.now() + options.totalTimeout,
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
