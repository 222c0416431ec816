import type { ResolvedOptions } from '../../options/options.ts';
import { askForArticles } from './check-articles.ts';
import { askFirstPage, askForParts, type FirstPage, factsOf } from './check-listing.ts';
import { type Requests, RequestsUsedUp } from './check-requests.ts';
import { countDrafts, coverForms, readCovers, readRows } from './check-rows.ts';
import { askAgain } from './conditional.ts';
import { checkCovers } from './covers.ts';
import type { Facts, Failure } from './facts.ts';
import { seen } from './seen.ts';

const wrongKey = 'astro-articles-check-asks-with-a-wrong-key';

/** What is told about the service, as far as it is known. */
type ServiceFacts = Omit<Facts, 'envFiles'>;

/** Asks the service what its contract leaves open: the most telling questions first. */
export async function inquire(requests: Requests, options: ResolvedOptions): Promise<ServiceFacts> {
  const facts = unknownFacts();
  try {
    await askAll(requests, { facts, options });
    facts.complete = facts.failure === null;
  } catch (error) {
    if (!(error instanceof RequestsUsedUp)) throw error;
    if (!facts.listing) facts.failure = noListing(error);
  }
  facts.reachable = requests.exchanges.length > 0;
  return { ...facts, ...seen(requests) };
}

async function askAll(
  requests: Requests,
  { facts, options }: { facts: ServiceFacts; options: ResolvedOptions },
): Promise<void> {
  const first = await askFirstPage(requests);
  facts.key.accepted = keyAccepted(first);
  if ('failure' in first) {
    facts.failure = first.failure;
    return;
  }
  const { page } = first;
  const { listed, ...rows } = readRows(page.rows);
  Object.assign(facts, rows);
  const inRows = listed.flatMap(({ article }) => article ?? []);
  facts.drafts = countDrafts(inRows);
  facts.covers.forms = coverForms(readCovers(page.rows));
  facts.listing = factsOf(first);

  facts.key.wrongKeyStatus = await askWithWrongKey(requests);
  Object.assign(facts.listing, await askForParts(requests, page, facts.listing));
  const single = await askForArticles(requests, listed);
  facts.articles = single.facts;
  if (inRows.length === 0) facts.drafts = countDrafts(single.articles);
  facts.conditional.listing = await askAgain(requests, first.exchanges);
  facts.conditional.article = await askAgain(requests, single.exchanges);
  facts.withoutSlash = await askWithoutSlash(requests);

  const covers = [...readCovers(page.rows), ...readCovers(single.raw)];
  if (Object.keys(facts.covers.forms).length === 0) facts.covers.forms = coverForms(covers);
  const { usedUp, ...checked } = await checkCovers(requests, { covers, options });
  Object.assign(facts.covers, checked);
  if (usedUp) throw usedUp;
}

function noListing({ message }: RequestsUsedUp): Failure {
  return {
    code: 'requests-used-up',
    message: `no listing came: ${message}`,
    hint: 'Raise --requests, or try again later.',
  };
}

function keyAccepted(first: FirstPage): boolean | null {
  if ('page' in first) return true;
  return first.failure.code === 'unauthorized' ? false : null;
}

async function askWithWrongKey({ addresses, probe }: Requests): Promise<number | null> {
  const url = addresses.list({ limit: 1, offset: 0 });
  const passed = await probe(url, { 'x-project-api-key': wrongKey });
  return passed.at(-1)?.status ?? null;
}

async function askWithoutSlash({ addresses, probe }: Requests): Promise<number | null> {
  const url = addresses.list({ limit: 1, offset: 0 });
  url.pathname = url.pathname.replace(/\/$/, '');
  return (await probe(url))[0]?.status ?? null;
}

function unknownFacts(): ServiceFacts {
  return {
    failure: null,
    reachable: false,
    key: { accepted: null, wrongKeyStatus: null },
    listing: null,
    order: null,
    rows: null,
    articles: { fetched: 0, sameAsRow: null, problems: [] },
    ids: {},
    badRows: [],
    drafts: { found: 0, among: 0 },
    covers: { forms: {}, sampled: 0, failed: [] },
    conditional: { listing: null, article: null },
    throttling: { throttled: 0, retryAfter: null, headers: {} },
    redirects: [],
    withoutSlash: null,
    time: null,
    complete: false,
  };
}
