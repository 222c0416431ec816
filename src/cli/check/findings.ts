import type { Conditional, Facts } from './facts.ts';

/** `unknown`: it could not be found out. Only what is `wrong` makes the check fail. */
export type Level = 'ok' | 'note' | 'unknown' | 'wrong';

export interface Finding {
  topic: string;
  level: Level;
  text: string;
  /** What to do about it. */
  hint?: string;
}

const shownProblems = 5;
const slow = 2_000;

/** Says in words what the facts are, and which of them somebody should do something about. */
export function describe(facts: Facts): Finding[] {
  const service = [
    reachable(facts),
    key(facts),
    ...facts.redirects.map(redirect),
    ...(facts.listing ? about(facts, facts.listing) : []),
  ];
  return [...service, ...facts.envFiles.map(envFile)];
}

function about(facts: Facts, listing: NonNullable<Facts['listing']>): Finding[] {
  return [
    listed(listing),
    pages(listing),
    order(facts, listing),
    rows(facts),
    articles(facts),
    ...facts.badRows.slice(0, shownProblems).map(badRow),
    ids(facts),
    drafts(facts),
    covers(facts),
    ...facts.covers.failed.map(cover),
    conditional(facts),
    throttling(facts),
    slash(facts),
    time(facts),
  ];
}

function reachable({ failure, reachable }: Facts): Finding {
  const topic = 'service';
  if (!failure) return { topic, level: 'ok', text: 'answers with a listing of articles' };
  if (failure.code === 'unauthorized') return { topic, level: 'ok', text: 'answers' };
  const { message, hint } = failure;
  const text = reachable ? message : `gives no answer: ${message}`;
  return { topic, level: 'wrong', text, ...(hint ? { hint } : {}) };
}

function key({ failure, key: { accepted, wrongKeyStatus: status } }: Facts): Finding {
  const topic = 'key';
  if (accepted === null) return { topic, level: 'unknown', text: 'nobody has looked at it' };
  if (failure) {
    const { message, hint } = failure;
    return { topic, level: 'wrong', text: message, ...(hint ? { hint } : {}) };
  }
  if (status === 401 || status === 403) {
    return { topic, level: 'ok', text: `accepted; a wrong one is refused (${status})` };
  }
  if (status === 200) {
    return {
      topic,
      level: 'note',
      text: 'accepted, but so is a wrong one: the service does not look at it, or not at this address',
    };
  }
  const answer = status === null ? 'that was not asked' : `the answer was ${status}`;
  return { topic, level: 'unknown', text: `accepted; whether a wrong one is refused: ${answer}` };
}

function redirect({ from, to, status }: Facts['redirects'][number]): Finding {
  const base = baseOf(to);
  return {
    topic: 'redirect',
    level: 'note',
    text: `${from} redirects (${status}) to ${to}`,
    ...(base ? { hint: `Each request is sent twice. Give ${base} as \`baseUrl\`.` } : {}),
  };
}

/** The service's address, when a redirect leads to its listing. */
export function baseOf(address: string): string | undefined {
  return /^(https?:\/\/.*\/)api\/integrations\/project\/articles\/$/.exec(address)?.[1];
}

function listed({ envelope, count, next, came }: NonNullable<Facts['listing']>): Finding {
  const where = envelope === '(array)' ? 'a bare array' : `rows in \`${envelope}\``;
  const signs = [
    count === null ? 'no `count`' : `\`count\` ${count}`,
    next === null ? 'no `next`' : 'with `next`',
  ];
  if (count === 0 || came === 0) {
    return {
      topic: 'listing',
      level: 'wrong',
      text: `${where}, ${signs.join(', ')}: no articles`,
      hint: 'A build would fail, and remove nothing. Publish an article, or check whose key this is.',
    };
  }
  return { topic: 'listing', level: 'ok', text: `${where}, ${signs.join(', ')}` };
}

function pages(listing: NonNullable<Facts['listing']>): Finding {
  const { askedFor, came, pageLimit, honoursLimit, honoursOffset } = listing;
  const topic = 'pages';
  if (honoursOffset === false) {
    return {
      topic,
      level: pageLimit === 'exact' ? 'wrong' : 'note',
      text: 'every `offset` gives the first rows again',
      hint: 'More articles than one page holds cannot be reached: the service must heed `offset`.',
    };
  }
  const refused = askedFor < 500 ? '500 at once are refused; ' : '';
  const asked = `${refused}of ${askedFor} asked for, ${came} came`;
  const limits = {
    exact: `${asked}: that is the most a page holds`,
    'at-least': `${asked}${came < askedFor ? ', and there are no more' : ''}`,
    none: `${asked}; whether more follow is unknown`,
  };
  const text = limits[pageLimit ?? 'none'];
  if (honoursLimit === false)
    return { topic, level: 'note', text: `${text}; \`limit\` is ignored` };
  return { topic, level: pageLimit ? 'ok' : 'unknown', text };
}

function order({ order, ids }: Facts, { came }: NonNullable<Facts['listing']>): Finding {
  const topic = 'order';
  if (order) {
    const first = order === 'newest-first' ? 'newest first' : 'oldest first';
    return { topic, level: 'ok', text: `${first}, if higher ids are newer` };
  }
  const numbers = Object.keys(ids).every((form) => form.startsWith('whole numbers'));
  const why =
    came < 2
      ? 'one article has none'
      : numbers
        ? 'the ids go up and down'
        : 'the ids are no numbers';
  return {
    topic,
    level: 'unknown',
    text: `unknown, since ${why}`,
    hint: "Compare the first rows with the service: if the oldest come first, set `order: 'oldest-first'`.",
  };
}

function rows({ rows, articles: { fetched, sameAsRow } }: Facts): Finding {
  const topic = 'rows';
  if (rows === null) return { topic, level: 'unknown', text: 'none to look at' };
  if (rows === 'summaries') {
    return {
      topic,
      level: 'note',
      text: 'summaries, so every build asks for each article',
    };
  }
  if (fetched === 0 || sameAsRow === null) return { topic, level: 'ok', text: 'all four fields' };
  if (sameAsRow === fetched) {
    return { topic, level: 'ok', text: 'all four fields, the same as the articles say' };
  }
  return {
    topic,
    level: 'note',
    text: `all four fields, but ${fetched - sameAsRow} of ${fetched} articles say something else`,
    hint: 'Every build asks for each such article. Do not set `trustList`.',
  };
}

function articles({ articles: { fetched, problems } }: Facts): Finding {
  const topic = 'articles';
  const [first] = problems;
  if (!first) {
    const level = fetched > 0 ? 'ok' : 'unknown';
    return { topic, level, text: `${fetched} fetched one by one` };
  }
  const shown = problems.slice(0, shownProblems).map(({ id, reason }) => `${id}: ${reason}`);
  return {
    topic,
    level: 'wrong',
    text: `${fetched} fetched one by one; not usable: ${shown.join('; ')}`,
    hint: "Mend them in the service, or set `onInvalid: 'keep'` to build without them.",
  };
}

function badRow({ id, reason }: Facts['badRows'][number]): Finding {
  return { topic: 'rows', level: 'wrong', text: `${id}: ${reason}` };
}

function ids({ ids }: Facts): Finding {
  return { topic: 'ids', level: 'ok', text: listOf(ids) };
}

function drafts({ drafts: { found, among }, rows }: Facts): Finding {
  const topic = 'drafts';
  const text = `${found} of ${among} without a title or without content`;
  if (rows !== 'full') return { topic, level: 'unknown', text: `${text}; the rows do not tell` };
  return { topic, level: 'ok', text: found > 0 ? `${text}: they are left out` : text };
}

function covers({ covers: { forms, sampled, failed } }: Facts): Finding {
  const topic = 'covers';
  const text = `${listOf(forms)}; ${sampled} downloaded and decoded, ${failed.length} failed`;
  return { topic, level: sampled > 0 || forms.none ? 'ok' : 'unknown', text };
}

function cover({ url, reason }: Facts['covers']['failed'][number]): Finding {
  return { topic: 'cover', level: 'wrong', text: `${url}: ${reason}` };
}

function conditional({ conditional: { listing, article } }: Facts): Finding {
  const topic = 'revalidate';
  if (!listing) return { topic, level: 'unknown', text: 'that was not asked' };
  const parts = [`listing ${validators(listing)}`];
  if (article) parts.push(`article ${validators(article)}`);
  return { topic, level: 'ok', text: parts.join(', ') };
}

function validators({ etag, lastModified, notModified }: Conditional): string {
  const names = [etag ? 'ETag' : '', lastModified ? 'Last-Modified' : '']
    .filter(Boolean)
    .join(' and ');
  if (!names) return 'without ETag or Last-Modified';
  if (notModified === null) return `with ${names}, but not answered when asked with it`;
  return `with ${names}, ${notModified ? 'answers 304' : 'but never answers 304'}`;
}

function throttling({ throttling: { throttled, retryAfter, headers } }: Facts): Finding {
  const topic = 'throttling';
  const limits = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const told = limits.length > 0 ? ` (${limits.join(', ')})` : '';
  if (throttled === 0) return { topic, level: 'ok', text: `none was met${told}` };
  const asked = retryAfter ? ` with Retry-After: ${retryAfter}` : ' without Retry-After';
  return { topic, level: 'note', text: `answered 429 ${times(throttled)}${asked}${told}` };
}

function slash({ withoutSlash: status }: Facts): Finding {
  const topic = 'last slash';
  if (status === null) return { topic, level: 'unknown', text: 'that was not asked' };
  const answers =
    status >= 300 && status < 400 ? `redirects (${status})` : `is answered with ${status}`;
  return { topic, level: 'ok', text: `the address without it ${answers}; it is always sent` };
}

function time({ time }: Facts): Finding {
  const topic = 'time';
  if (!time) return { topic, level: 'unknown', text: 'no answer to measure' };
  const text = `${milliseconds(time.median)} an answer (median), ${milliseconds(time.slowest)} the slowest`;
  return { topic, level: time.median > slow ? 'note' : 'ok', text };
}

function envFile({ name, ignored }: Facts['envFiles'][number]): Finding {
  const topic = 'git';
  if (ignored === null) {
    return {
      topic,
      level: 'unknown',
      text: `${name} holds the key, and this is no git repository`,
    };
  }
  if (ignored) return { topic, level: 'ok', text: `ignores ${name}, which holds the key` };
  return {
    topic,
    level: 'wrong',
    text: `does not ignore ${name}, which holds the key`,
    hint: `Add ${name} to .gitignore; if it was ever committed, take it out and make a new key.`,
  };
}

function listOf(counts: Record<string, number>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return parts.join(', ') || 'none seen';
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function milliseconds(time: number): string {
  return `${Math.round(time)} ms`;
}
