import { decodeListed } from '../../client/article.ts';
import { ArticlesRequestError } from '../../errors.ts';
import type { ArticlesOptions, ResolvedOptions } from '../../options/options.ts';
import { articleProbes } from './article-probes.ts';
import { type Budget, BudgetUsedUp, callTime } from './budget.ts';
import { probeCovers } from './cover-probe.ts';
import { probeOrder, probePages } from './listing-probes.ts';
import type { Check, Finding, FirstPage, Probe, ProbeResult, Sample } from './probe.ts';
import { fetchSample } from './sample.ts';
import {
  probeKey,
  probeRedirects,
  probeService,
  probeThrottling,
  redirectOf,
} from './service-probes.ts';

export interface CheckResult {
  findings: Finding[];
  /** The topics that could not be checked. */
  unchecked: string[];
  suggested: ArticlesOptions | undefined;
}

/** The probes, in the order in which they run and are printed. */
const probes: Readonly<Record<string, Probe>> = {
  key: probeKey,
  pages: probePages,
  order: probeOrder,
  ...articleProbes,
  covers: probeCovers,
  throttling: probeThrottling,
};

/** Finds out about a service what the contract leaves open. */
export async function checkService(
  budget: Budget,
  { options, onTopic }: { options: ResolvedOptions; onTopic: (topic: string) => void },
): Promise<CheckResult> {
  const findings: Finding[] = [];
  const add = (topic: string, results: ProbeResult[]) =>
    findings.push(...results.map((result) => ({ topic, ...result })));

  onTopic('listing');
  const first = await readFirstPage(budget);
  for (const [topic, results] of Object.entries(probeService(first, budget))) add(topic, results);
  add('redirect', probeRedirects(budget));
  const unchecked = Object.keys(probes).filter(
    (name) => !findings.some(({ topic }) => topic === name),
  );
  if (first.status === 'failed') return { findings, unchecked, suggested: undefined };

  const check = createCheck(first, { budget, options });
  for (const [topic, probe] of Object.entries(probes)) {
    onTopic(topic);
    try {
      add(topic, await probe(check));
      unchecked.splice(unchecked.indexOf(topic), 1);
    } catch (error) {
      if (!(error instanceof BudgetUsedUp)) throw error;
    }
  }
  return { findings, unchecked, suggested: check.suggested };
}

const limits = [500, 100] as const;
const isTooLarge: readonly string[] = ['refused', 'server-error', 'timeout', 'body-too-large'];

/** Requests the largest page, and a smaller one when the service does not deliver that much. */
async function readFirstPage(budget: Budget): Promise<FirstPage> {
  const { client, within } = budget;
  const call = within(callTime);
  let failure: ArticlesRequestError | undefined;
  for (const limit of limits) {
    try {
      return { status: 'listed', page: await client.listPage({ limit, offset: 0 }, call), limit };
    } catch (error) {
      if (error instanceof BudgetUsedUp) return { status: 'failed', error: failure ?? error };
      if (!(error instanceof ArticlesRequestError)) throw error;
      failure ??= error;
      if (!isTooLarge.includes(failure.code)) break;
    }
  }
  return { status: 'failed', error: failure ?? new BudgetUsedUp() };
}

function createCheck(
  { page, limit }: Extract<FirstPage, { status: 'listed' }>,
  { budget, options }: { budget: Budget; options: ResolvedOptions },
): Check {
  const rows = page.rows.map((row, index) => decodeListed(row, index + 1));
  const listed = rows.flatMap((row) => ('problem' in row ? [] : [row]));
  let sample: Promise<Sample> | undefined;
  const check: Check = {
    budget,
    options,
    page,
    limit,
    listed,
    inRows: listed.flatMap(({ article }) => article ?? []),
    badRows: rows.flatMap((row) => ('problem' in row ? [row.problem] : [])),
    sample() {
      sample ??= fetchSample(check);
      return sample;
    },
    suggested: { baseUrl: redirectOf(budget)?.base ?? options.baseUrl },
  };
  return check;
}
