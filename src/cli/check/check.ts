import { ArticlesRequestError } from '../../errors.ts';
import type { ArticlesOptions, ResolvedOptions } from '../../options/options.ts';
import { readFirstPage } from './evidence.ts';
import { createReport, type Finding } from './finding.ts';
import { probes } from './probes.ts';
import { createRequests, RequestsUsedUp } from './requests.ts';

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
  const evidence = await readFirstPage(requests, options).catch((error) => {
    findings.push(...describeFailure(error));
    for (const { topic } of findings) unchecked.delete(topic);
    return undefined;
  });
  for (const [topic, probe] of Object.entries(probes)) {
    if (!evidence) break;
    try {
      await probe(evidence, createReport(findings, topic));
      unchecked.delete(topic);
    } catch (error) {
      if (!(error instanceof RequestsUsedUp)) throw error;
    }
  }
  return {
    findings,
    unchecked: [...unchecked],
    options: evidence?.suggested ?? null,
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
