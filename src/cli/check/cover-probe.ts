import type { ArticleProblem } from '../../errors.ts';
import { type DownloadedImages, downloadImages } from '../../images/download.ts';
import { systemClock } from '../../shared/clock.ts';
import { unsigned } from '../../shared/image-url.ts';
import { articlesOf, countForms } from './article-probes.ts';
import { BudgetUsedUp, callTime } from './budget.ts';
import type { Check, ProbeResult } from './probe.ts';
import { spread } from './sample.ts';

const sampleSize = 8;
/** The requests that one cover may take: an attempt and two retries. */
const requestsPerCover = 3;

/** Downloads some covers and verifies them like a build. None of them is kept. */
export async function probeCovers(check: Check): Promise<ProbeResult[]> {
  const articles = await articlesOf(check);
  const notes = articles.flatMap(({ notes = [] }) => notes);
  const urls = articles.flatMap(({ cover_image: url }) => url ?? []);
  const sample = spread([...new Map(urls.map((url) => [unsigned(url), url])).values()], sampleSize);
  const failures: ProbeResult[] = [];
  for (const url of sample) {
    const { problems } = await download(url, check);
    for (const { url: shown, reason } of problems.values()) {
      failures.push({ level: 'wrong', text: `${shown}: ${reason}` });
    }
  }
  const forms = countForms(articles.map(({ cover_image: url, notes }) => formOf(url, notes)));
  const text = `${forms}; ${sample.length} downloaded and decoded, ${failures.length} failed`;
  return [
    { level: sample.length > 0 || urls.length === 0 ? 'ok' : 'unknown', text },
    ...describeNotes(notes),
    ...failures,
  ];
}

const shownIds = 3;

function describeNotes(notes: readonly ArticleProblem[]): ProbeResult[] {
  const [first] = notes;
  if (!first) return [];
  const ids = notes.slice(0, shownIds).map(({ id }) => id);
  const more = notes.length > shownIds ? ' …' : '';
  const text = `unusable in ${notes.length} of the articles (${ids.join(', ')}${more}): ${first.reason}`;
  const fix = 'The service has to send a URL, `{ "url": … }`, `{ "src": … }` or null.';
  return [{ level: 'note', text, fix }];
}

function formOf(url: string | null, notes: readonly unknown[] = []): string {
  if (url === null) return notes.length > 0 ? 'of an unknown type' : 'none';
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1];
  return scheme ? `${scheme.toLowerCase()} URLs` : 'relative URLs';
}

async function download(url: string, { budget, options }: Check): Promise<DownloadedImages> {
  if (budget.limit - budget.used < requestsPerCover) throw new BudgetUsedUp();
  const { signal, deadline } = budget.within(callTime);
  const downloaded = await downloadImages(new Map([[url, { changed: false }]]), {
    mirror: nowhere,
    baseUrl: budget.client.baseUrl,
    settings: { ...options.images, timeout: Math.min(options.images.timeout, 10_000) },
    clock: systemClock,
    deadline,
    signal,
  });
  budget.add(downloaded.requests);
  return downloaded;
}

/** A mirror that keeps nothing. */
const nowhere = {
  index: { images: new Map() },
  hasImage: async () => false,
  writeImage: async (_: Uint8Array, extension: string) => `not-kept.${extension}`,
};
