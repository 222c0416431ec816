import { downloadImages } from '../../images/download.ts';
import { systemClock } from '../../shared/clock.ts';
import { unsigned } from '../../shared/image-url.ts';
import { type Evidence, spread } from './evidence.ts';
import type { Report } from './finding.ts';
import { RequestsUsedUp } from './requests.ts';

const sampleSize = 8;
/** The requests that one cover may take: an attempt and two retries. */
const requestsPerCover = 3;

/** Downloads some covers and verifies them like a build. None of them is kept. */
export async function probeCovers(evidence: Evidence, report: Report): Promise<void> {
  const { requests, options } = evidence;
  const articles = await evidence.articles();
  const urls = articles.flatMap(({ cover_image: url }) => url ?? []);
  const all = [...new Map(urls.map((url) => [unsigned(url), url])).values()];
  const affordable = Math.floor((requests.limit - requests.used) / requestsPerCover);
  if (all.length > 0 && affordable === 0) throw new RequestsUsedUp();
  const sample = spread(all, Math.min(sampleSize, affordable));
  const wanted = new Map(sample.map((url) => [unsigned(url), { url, changed: false }]));
  const downloaded = await downloadImages(wanted, {
    mirror: nowhere,
    baseUrl: requests.client.baseUrl,
    settings: { ...options.images, timeout: Math.min(options.images.timeout, 10_000) },
    clock: systemClock,
    ...requests.call(),
  });
  requests.used += downloaded.requests;
  const { images, problems } = downloaded;
  const decoded = `${images.size} of ${sample.length} downloaded and decoded`;
  report('ok', sample.length > 0 ? decoded : 'none seen');
  for (const { url, reason } of problems.values()) report('wrong', `${url}: ${reason}`);

  const notes = articles.flatMap(({ notes = [] }) => notes);
  if (notes[0]) {
    const { id, reason } = notes[0];
    report(
      'note',
      `unusable in ${notes.length} of the articles, for example in ${id}: ${reason}`,
      'The service has to send a URL, `{ "url": … }`, `{ "src": … }` or null.',
    );
  }
}

const nowhere = {
  index: { images: new Map() },
  hasImage: async () => false,
  writeImage: async (_: Uint8Array, extension: string) => `not-kept.${extension}`,
};
