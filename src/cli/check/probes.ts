import { ArticlesRequestError, describeProblem } from '../../errors.ts';
import { splitFrontMatter } from '../../render/markdown.ts';
import { probeCovers } from './cover-probe.ts';
import type { Evidence } from './evidence.ts';
import type { Report } from './finding.ts';
import { probePages, probeStability, reportSummaries } from './listing-probes.ts';

const wrongKey = 'astro-articles-check-sends-a-wrong-key';
const shownProblems = 5;
const codeBlock = /^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm;
const relativeLink =
  /(?<!!)\[[^\]]{0,1000}\]\(<?(?!#|\/\/|[a-z][a-z\d+.-]*:)[^\s)>]|<a\s[^>]{0,1000}?href\s*=\s*["']?(?!#|\/\/|[a-z][a-z\d+.-]*:)[^\s"'>]/i;

/** @throws {RequestsUsedUp} when a request is needed and none is left */
type Probe = (evidence: Evidence, report: Report) => void | Promise<void>;

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
    const { listPage } = requests.clientWith(wrongKey);
    const status = await listPage({ limit: 1 }, requests.call()).then(() => 200, statusOf);
    if (status === 401 || status === 403) {
      return report('ok', `accepted; a wrong one is rejected (${status})`);
    }
    const reason = 'the service may not check the key of this URL';
    report('note', `accepted; with a wrong one, the status is ${status ?? 'unknown'}: ${reason}`);
  },

  pages: probePages,

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

  async rows(evidence, report) {
    const { listed, inRows, badRows, suggested, sample, isUnordered } = evidence;
    for (const problem of badRows.slice(0, shownProblems)) {
      report('wrong', describeProblem(problem));
    }
    if (listed.length === 0) return;
    if (inRows.length === 0) return reportSummaries(evidence, report);
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

  async bodies(evidence, report) {
    const articles = await evidence.articles();
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
