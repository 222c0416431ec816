import { decodeListed } from '../../client/article.ts';
import { ArticlesRequestError } from '../../errors.ts';
import type { ArticlesOptions, ResolvedOptions } from '../../options/options.ts';
import { articleProbes } from './article-probes.ts';
import { probeCovers } from './cover-probe.ts';
import { listingProbes, probeRedirect, probeThrottling } from './listing-probes.ts';
import type { Check, Finding, Probe, ProbeResult, Sample } from './probe.ts';
import { createRequests, type Requests, RequestsUsedUp } from './requests.ts';
import { fetchSample } from './sample.ts';

/** The probes by topic, in the order in which they run and are printed. */
const probes: Readonly<Record<string, Probe>> = {
  ...listingProbes,
  ...articleProbes,
  covers: probeCovers,
  throttling: probeThrottling,
};

export interface CheckResult {
  findings: Finding[];
  /** The topics that could not be checked. */
  unchecked: string[];
  /** The options that suit the service; null if there was no listing. */
  options: ArticlesOptions | null;
  requests: { used: number; limit: number };
}

/** Finds out about a service what the contract leaves open, with at most `limit` requests. */
export async function checkService(
  options: ResolvedOptions,
  limit: number,
  onTopic: (topic: string) => void,
): Promise<CheckResult> {
  const requests = createRequests(options, limit);
  const findings: Finding[] = [];
  const checked = new Set<string>();
  const add = (topic: string, results: ProbeResult[]) => {
    checked.add(topic);
    findings.push(...results.map((result) => ({ topic, ...result })));
  };

  async function run(check: Check): Promise<ArticlesOptions> {
    for (const [topic, probe] of Object.entries(probes)) {
      onTopic(topic);
      try {
        add(topic, await probe(check));
      } catch (error) {
        if (!(error instanceof RequestsUsedUp)) throw error;
      }
    }
    return check.suggested;
  }

  onTopic('listing');
  const suggested = await startCheck(requests, options).then(run, (error) => {
    for (const [topic, results] of Object.entries(describeFailure(error))) add(topic, results);
    add('redirect', probeRedirect({ requests, suggested: {} }));
    return null;
  });
  return {
    findings,
    unchecked: Object.keys(probes).filter((topic) => !checked.has(topic)),
    options: suggested,
    requests: { used: requests.used, limit },
  };
}

/** Describes why the listing could not be read. */
function describeFailure(error: unknown): Record<string, ProbeResult[]> {
  if (error instanceof RequestsUsedUp) {
    const text = `${error.message} before the listing was read`;
    return { service: [{ level: 'wrong', text, fix: 'Raise --requests.' }] };
  }
  if (!(error instanceof ArticlesRequestError)) throw error;
  const { message, hint, code } = error;
  const failure: ProbeResult = { level: 'wrong', text: message, ...(hint ? { fix: hint } : {}) };
  if (code !== 'unauthorized') return { service: [failure] };
  return { service: [{ level: 'ok', text: 'responds' }], key: [failure] };
}

const isTooLarge: readonly string[] = ['refused', 'server-error', 'timeout', 'body-too-large'];

/** Requests the largest page, and a smaller one when the service does not deliver that much. */
async function startCheck(requests: Requests, options: ResolvedOptions): Promise<Check> {
  const { client, call } = requests;
  const until = call();
  let limit = 500;
  const page = await client.listPage({ limit }, until).catch((error) => {
    if (!(error instanceof ArticlesRequestError && isTooLarge.includes(error.code))) throw error;
    limit = 100;
    // The first error is about the page that a build requests.
    return client.listPage({ limit }, until).catch(() => Promise.reject(error));
  });
  const rows = page.rows.map((row, index) => decodeListed(row, index + 1));
  const listed = rows.flatMap((row) => ('problem' in row ? [] : [row]));
  const inRows = listed.flatMap(({ article }) => article ?? []);
  let sample: Promise<Sample> | undefined;
  const check: Check = {
    ...{ requests, options, page, limit, listed, inRows },
    badRows: rows.flatMap((row) => ('problem' in row ? [row.problem] : [])),
    sample() {
      sample ??= fetchSample(check);
      return sample;
    },
    articles: async () => (inRows.length > 0 ? inRows : (await check.sample()).articles),
    suggested: { baseUrl: options.baseUrl },
  };
  return check;
}
