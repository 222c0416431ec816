import type { ArticlesOptions } from '../../options/options.ts';
import type { Facts } from './facts.ts';
import { baseOf } from './findings.ts';

const afterThrottling = 2;

/** The options that suit the service: its address, and what has to differ from the defaults. */
export function suggest(facts: Facts, baseUrl: string): ArticlesOptions {
  const { redirects, listing, articles, order, rows, throttling } = facts;
  const final = redirects.map(({ to }) => baseOf(to)).find(Boolean);
  const { fetched, sameAsRow } = articles;
  const rowsAreArticles = rows === 'full' && fetched > 0 && sameAsRow === fetched;
  return {
    baseUrl: final ?? baseUrl,
    ...(listing && listing.askedFor < 500 ? { pageSize: listing.askedFor } : {}),
    ...(throttling.throttled > 0 ? { concurrency: afterThrottling } : {}),
    ...(rowsAreArticles && articles.problems.length === 0 ? { trustList: true } : {}),
    ...(order === 'oldest-first' ? { order } : {}),
  };
}

/** The options as one writes them into astro.config. */
export function asCode(options: ArticlesOptions): string {
  const lines = Object.entries(options).map(([name, value]) => {
    const text = typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
    return `  ${name}: ${text},`;
  });
  return ['articles({', ...lines, '})'].join('\n');
}

/** What `trustList` spares a first sync; nothing when it cannot be told. */
export function savedByTrust({ listing }: Facts): { before: number; after: number } | undefined {
  if (!listing || listing.came === 0) return undefined;
  const { count, came, pageLimit, askedFor } = listing;
  const total = count ?? (pageLimit === 'at-least' && came < askedFor ? came : undefined);
  if (total === undefined) return undefined;
  const after = Math.ceil(total / Math.max(1, came));
  return { before: total + after, after };
}
