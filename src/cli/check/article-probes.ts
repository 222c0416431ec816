import { isDraft } from '../../client/article.ts';
import { describeProblem } from '../../errors.ts';
import { splitFrontMatter } from '../../render/markdown.ts';
import { schemaFor } from './extra-fields.ts';
import type { Check, Probe, ProbeResult } from './probe.ts';

const shownProblems = 5;
const codeBlock = /^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm;
const relativeLink =
  /(?<!!)\[[^\]]{0,1000}\]\(<?(?!#|\/\/|[a-z][a-z\d+.-]*:)[^\s)>]|<a\s[^>]{0,1000}?href\s*=\s*["']?(?!#|\/\/|[a-z][a-z\d+.-]*:)[^\s"'>]/i;

/** Probes of what the articles contain. */
export const articleProbes = {
  async rows(check) {
    const bad = check.badRows.slice(0, shownProblems);
    const problems = bad.map(
      (problem) => ({ level: 'wrong', text: describeProblem(problem) }) as const,
    );
    return [...problems, await describeRows(check)];
  },

  async articles(check) {
    const { articles, removed, problems } = await check.sample();
    const gone = removed > 0 ? `, ${removed} removed meanwhile` : '';
    const text = `${articles.length} fetched one by one${gone}`;
    const fix = "Fix it in the service, or set `onInvalid: 'keep'` to build without it.";
    return [
      { level: articles.length > 0 || removed > 0 ? 'ok' : 'unknown', text },
      ...problems.map(({ id, reason }) => {
        const text = `${JSON.stringify(id)} cannot be used: ${reason}`;
        return { level: 'wrong', text, fix } as const;
      }),
    ];
  },

  async drafts(check) {
    const articles = await check.articles();
    const drafts = articles.filter(isDraft).length;
    if (drafts === 0) return [];
    const text = `${drafts} of ${articles.length} have no title or no content, and are left out`;
    return [{ level: 'note', text, fix: "Set `drafts: 'include'` to show them." }];
  },

  async fields(check) {
    const { articles } = await check.sample();
    const extras = [...check.inRows, ...articles].map(({ extra }) => extra);
    const names = [...new Set(extras.flatMap((extra) => Object.keys(extra)))].sort();
    if (names.length === 0) return [];
    const text = `also ${names.map((name) => `\`${name}\``).join(', ')}`;
    const fix = `To use them: defineCollection({ loader: articlesLoader(), ${schemaFor(names, extras)} })`;
    return [{ level: 'ok', text, fix }];
  },

  async bodies(check) {
    const articles = await check.articles();
    const bodies = articles.map(({ content }) => splitFrontMatter(content));
    const linked = bodies.filter(({ content }) =>
      relativeLink.test(content.replace(codeBlock, '')),
    );
    const headed = bodies.filter(({ frontMatter }) => frontMatter !== undefined);
    const results: ProbeResult[] = [];
    if (linked.length > 0) {
      const text = `${linked.length} of ${articles.length} articles have relative links`;
      const fix =
        "They lead to pages of the site. If they belong to the service, set `links: 'service'`.";
      results.push({ level: 'note', text, fix });
    }
    if (headed.length > 0) {
      const text = `${headed.length} of ${articles.length} articles begin with YAML front matter`;
      const fix = 'It is not shown. The option `transform` receives its fields as `frontMatter`.';
      results.push({ level: 'note', text, fix });
    }
    return results;
  },
} satisfies Record<string, Probe>;

async function describeRows(check: Check): Promise<ProbeResult> {
  const { listed, inRows, badRows, suggested } = check;
  if (listed.length === 0) return { level: 'unknown', text: 'there are no rows to check' };
  if (inRows.length === 0) {
    return { level: 'note', text: 'summaries, so a build fetches each article that is new' };
  }
  if (inRows.length < listed.length) {
    const rest = listed.length - inRows.length;
    const text = `${inRows.length} of ${listed.length} have all four fields; ${rest} are summaries`;
    return { level: 'note', text };
  }
  const { articles, different, problems } = await check.sample();
  if (articles.length === 0) return { level: 'ok', text: 'all four fields' };
  if (different > 0) {
    const text = `all four fields, but ${different} of ${articles.length} articles contain something else`;
    const fix = 'Every build fetches such an article. Do not set `trustList`.';
    return { level: 'note', text, fix };
  }
  if (badRows.length + problems.length === 0) suggested.trustList = true;
  return { level: 'ok', text: 'all four fields, equal to the articles fetched one by one' };
}
