import { decodeListed } from '../../client/article.ts';
import { withSmallerPages } from '../../client/listing/smaller-pages.ts';
import { ArticlesRequestError } from '../../errors.ts';
import type { ArticlesOptions, ResolvedOptions } from '../../options/options.ts';
import type { Check, Finding, Sample } from './probe.ts';
import { probes } from './probes.ts';
import { createRequests, type Requests, RequestsUsedUp } from './requests.ts';
import { fetchSample } from './sample.ts';

export interface CheckResult {
  findings: Finding[];
  /** The topics that could not be checked. */
  unchecked: string[];
  /** The options that suit the service; null if there was no listing. */
  options: ArticlesOptions | null;
  requests: { used: number; limit: number };
}

/** Finds out about a service what the contract leaves open, with at most `limit` requests. */
export async function checkService(options: ResolvedOptions, limit: number): Promise<CheckResult> {
  const requests = createRequests(options, limit);
  const findings: Finding[] = [];
  const unchecked = new Set(Object.keys(probes));
  const check = await startCheck(requests, options).catch((error) => {
    findings.push(...describeFailure(error));
    for (const { topic } of findings) unchecked.delete(topic);
    return undefined;
  });
  for (const [topic, probe] of Object.entries(probes)) {
    if (!check) break;
    try {
      await probe(check, (level, text, fix) =>
        findings.push({ topic, level, text, ...(fix && { fix }) }),
      );
      unchecked.delete(topic);
    } catch (error) {
      if (!(error instanceof RequestsUsedUp)) throw error;
    }
  }
  return {
    findings,
    unchecked: [...unchecked],
    options: check?.suggested ?? null,
    requests: { used: requests.used, limit },
  };
}

function describeFailure(error: unknown): Finding[] {
  if (error instanceof RequestsUsedUp) {
    const text = `${error.message} before the listing was read`;
    return [{ topic: 'service', level: 'wrong', text, fix: 'Raise --requests.' }];
  }
  if (!(error instanceof ArticlesRequestError)) throw error;
  const { message: text, hint: fix = '', code } = error;
  if (code !== 'unauthorized') return [{ topic: 'service', level: 'wrong', text, fix }];
  return [
    { topic: 'service', level: 'ok', text: 'responds' },
    { topic: 'key', level: 'wrong', text, fix },
  ];
}

/** Requests the first page like a build. */
async function startCheck(requests: Requests, options: ResolvedOptions): Promise<Check> {
  const until = requests.call();
  const request = withSmallerPages((query) => requests.client.listPage(query, until));
  const page = await request({ offset: 0, limit: options.pageSize });
  const rows = page.rows.map((row, index) => decodeListed(row, index + 1));
  const listed = rows.flatMap((row) => ('problem' in row ? [] : [row]));
  const inRows = listed.flatMap(({ article }) => article ?? []);
  let sample: Promise<Sample> | undefined;
  const check: Check = {
    requests,
    options,
    page,
    listed,
    inRows,
    badRows: rows.flatMap((row) => ('problem' in row ? [row.problem] : [])),
    sample() {
      sample ??= fetchSample(check);
      return sample;
    },
    articles: async () => (inRows.length > 0 ? inRows : (await check.sample()).articles),
    isUnordered: false,
    suggested: { baseUrl: options.baseUrl },
  };
  return check;
}
