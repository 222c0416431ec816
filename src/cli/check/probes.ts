import { ArticlesRequestError, describeProblem } from '../../errors.ts';
import { splitFrontMatter } from '../../render/markdown.ts';
import { probeCovers } from './cover-probe.ts';
import { probeStability, reportSummaries } from './listing-probes.ts';
import type { Probe } from './probe.ts';

const wrongKey = 'astro-articles-check-sends-a-wrong-key';
const shownProblems = 5;
/** From here on, builds need less memory with `bodies: 'mirror'`. */
const manyArticles = 2_000;
const codeBlock = /^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm;
const relativeLink =
  /(?<!!)\[[^\]]{0,1000}\]\(<?(?!#|\/\/|[a-z][a-z\d+.-]*:)[^\s)>]|<a\s[^>]{0,1000}?href\s*=\s*["']?(?!#|\/\/|[a-z][a-z\d+.-]*:)[^\s"'>]/i;

/** The probes by topic, in the order in which they run and are printed. */
export const probes: Readonly<Record<string, Probe>> = {
  service({ page: { envelope, count, more, rows } }, report) {
    const where = envelope === '(array)' ? 'a bare array' : `rows in \`${envelope}\``;
    const counted = count === undefined ? 'no `count`' : `\`count\` ${count}`;
    const next = more === undefined ? 'no `next`' : 'with `next`';
    const text = `responds with a listing: ${where}, ${counted}, ${next}`;
    if (rows.length > 0) return report('ok', text);
    report(
      'wrong',
      `${text}, but no articles`,
      'A build would fail, and remove nothing. Publish an article, or check whether the key belongs to another project.',
    );
  },

  async key({ requests }, report) {
    const { listPage } = requests.withKey(wrongKey);
    const status = await listPage({ limit: 1 }, requests.call()).then(() => 200, statusOf);
    if (status === 401 || status === 403) {
      report('ok', `accepted; a wrong one is rejected (${status})`);
    } else if (status === 200) {
      const reason = 'the service does not check the key of this URL';
      report('note', `accepted, but so is a wrong one: ${reason}`);
    } else {
      report('unknown', `accepted; with a wrong one, the response was ${status ?? 'missing'}`);
    }
  },

  async pages({ page, options, requests, suggested }, report) {
    const { count, more, rows } = page;
    const received = rows.length;
    if (Math.max(received, count ?? 0) >= manyArticles) suggested.bodies = 'mirror';
    // The offset is large, so that a few rows that are added or removed meanwhile make no difference.
    const query = { limit: 2, offset: received - 1 };
    const part =
      received < 4
        ? []
        : await requests.client.listPage(query, requests.call()).then((page) => page.rows, noRows);
    const [first, other] = [rows[0], part[0]].map((row) => Object(row).id);
    const ignoresOffset = other !== undefined && other === first;
    const isCut = more === true || (count !== undefined && count > received);
    if (ignoresOffset && part.length > query.limit && !isCut) {
      const reason = '`limit` and `offset` are ignored';
      report('ok', `the whole list at once, ${received} rows: ${reason}`);
    } else if (ignoresOffset) {
      report(
        isCut || received >= options.pageSize ? 'wrong' : 'note',
        'every `offset` returns the first rows',
        `The service has to support \`offset\`: no article after the first ${received} can be listed.`,
      );
    } else {
      const all = !isCut && (more === false || count === received) ? 'all ' : '';
      const total = isCut && count !== undefined ? ` of ${count}` : '';
      report('ok', `requested ${options.pageSize}, received ${all}${received}${total}`);
    }
  },

  /** Only numeric ids that all rise or all fall show an order. */
  order({ listed, suggested }, report) {
    const isNumeric = listed.every(({ id }) => /^\d+$/.test(id));
    const ids = isNumeric ? listed.map(({ id }) => BigInt(id)) : [];
    const rises = new Set(ids.slice(1).map((id, index) => id > (ids[index] ?? id)));
    if (rises.size !== 1) {
      report(
        'unknown',
        'unknown: the ids are not in order',
        "Compare the first rows with the service. If the oldest come first, set `order: 'oldest-first'`.",
      );
    } else if (rises.has(true)) {
      suggested.order = 'oldest-first';
      report('ok', 'oldest first, if higher ids are newer');
    } else {
      report('ok', 'newest first, if higher ids are newer');
    }
  },

  stability: probeStability,

  async rows(check, report) {
    const { listed, inRows, badRows, suggested, sample, isUnordered } = check;
    for (const problem of badRows.slice(0, shownProblems)) {
      report('wrong', describeProblem(problem));
    }
    if (listed.length === 0) return report('unknown', 'there are no rows to check');
    if (inRows.length === 0) {
      return reportSummaries(check, report);
    }
    if (inRows.length < listed.length) {
      const all = `${inRows.length} of ${listed.length} have all four fields`;
      return report('note', `${all}; ${listed.length - inRows.length} are summaries`);
    }
    const { articles, different, problems } = await sample();
    if (different > 0) {
      const count = `${different} of ${articles.length} articles`;
      report(
        'note',
        `all four fields, but ${count} differ from their row`,
        'Every build fetches such an article. Do not set `trustList`.',
      );
    } else if (articles.length === 0) {
      report('ok', 'all four fields');
    } else {
      if (badRows.length + problems.length === 0 && !isUnordered) suggested.trustList = true;
      report('ok', 'all four fields, equal to the articles fetched one by one');
    }
  },

  async articles({ sample }, report) {
    const { articles, problems } = await sample();
    report(articles.length > 0 ? 'ok' : 'unknown', `${articles.length} fetched one by one`);
    const fix = "Fix it in the service, or set `onInvalid: 'keep'` to build without it.";
    for (const problem of problems) report('wrong', problem, fix);
  },

  async fields({ inRows, sample }, report) {
    const all = [...inRows, ...(await sample()).articles];
    const names = [...new Set(all.flatMap(({ extra }) => Object.keys(extra)))].sort();
    if (names.length === 0) return;
    const text = `also ${names.map((name) => `\`${name}\``).join(', ')}`;
    report('ok', text, 'To use them, extend `articleSchema` in the content config.');
  },

  async bodies(check, report) {
    const articles = await check.articles();
    const linked = articles.filter(({ content }) =>
      relativeLink.test(splitFrontMatter(content).content.replace(codeBlock, '')),
    );
    if (linked.length === 0) return;
    report(
      'note',
      `${linked.length} of ${articles.length} articles have relative links`,
      "They lead to pages of the site. If they belong to the service, set `links: 'service'`.",
    );
  },

  covers: probeCovers,
};

function statusOf(error: unknown): number | undefined {
  if (error instanceof ArticlesRequestError) return error.status;
  throw error;
}

function noRows(error: unknown): unknown[] {
  if (error instanceof ArticlesRequestError) return [];
  throw error;
}
