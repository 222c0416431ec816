import { downloadImages } from '../../images/download.ts';
import { systemClock } from '../../shared/clock.ts';
import { unsigned } from '../../shared/image-url.ts';
import type { Check, ProbeResult } from './probe.ts';
import { RequestsUsedUp } from './requests.ts';
import { spread } from './sample.ts';

const sampleSize = 8;
/** The requests that one cover may take: an attempt and two retries. */
const requestsPerCover = 3;

/** Downloads some covers and verifies them like a build. None of them is kept. */
export async function probeCovers(check: Check): Promise<ProbeResult[]> {
  const articles = await check.articles();
  const urls = articles.flatMap(({ cover_image: url }) => url ?? []);
  const sample = spread([...new Map(urls.map((url) => [unsigned(url), url])).values()], sampleSize);
  const failures: ProbeResult[] = [];
  for (const url of sample) failures.push(...(await probeCover(url, check)));
  const lost = failures.length;

  const [note, ...others] = articles.flatMap(({ notes = [] }) => notes);
  if (note) {
    const text = `unusable in ${others.length + 1} of the articles, for example in ${note.id}: ${note.reason}`;
    const fix = 'The service has to send a URL, `{ "url": … }`, `{ "src": … }` or null.';
    failures.push({ level: 'note', text, fix });
  }
  if (sample.length === 0) return [{ level: 'ok', text: 'none seen' }, ...failures];
  const decoded = `${sample.length - lost} of ${sample.length} downloaded and decoded`;
  return [{ level: 'ok', text: decoded }, ...failures];
}

async function probeCover(url: string, { requests, options }: Check): Promise<ProbeResult[]> {
  if (requests.limit - requests.used < requestsPerCover) throw new RequestsUsedUp();
  const downloaded = await downloadImages(new Map([[url, { changed: false }]]), {
    mirror: nowhere,
    baseUrl: requests.client.baseUrl,
    settings: { ...options.images, timeout: Math.min(options.images.timeout, 10_000) },
    clock: systemClock,
    ...requests.call(),
  });
  requests.add(downloaded.requests);
  return [...downloaded.problems.values()].map(({ url: shown, reason }) => ({
    level: 'wrong',
    text: `${shown}: ${reason}`,
  }));
}

/** A mirror that keeps nothing. */
const nowhere = {
  index: { images: new Map() },
  hasImage: async () => false,
  writeImage: async (_: Uint8Array, extension: string) => `not-kept.${extension}`,
};
