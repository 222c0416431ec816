import { type Article, isDraft } from '../../client/article.ts';
import { describeProblem } from '../../errors.ts';
import { schemaFor } from './extra-fields.ts';
import type { Check, ProbeResult } from './probe.ts';

const shownProblems = 5;

export const articleProbes = {
  rows: probeRows,
  articles: probeArticles,
  drafts: probeDrafts,
  fields: probeFields,
  bodies: probeBodies,
};

async function probeRows(check: Check): Promise<ProbeResult[]> {
  const { listed, inRows, badRows } = check;
  const bad = badRows
    .slice(0, shownProblems)
    .map((problem) => ({ level: 'wrong' as const, text: describeProblem(problem) }));
  const [first] = listed;
  if (!first) return [...bad, { level: 'unknown', text: 'none to look at' }];
  if (inRows.length === 0) {
    const text = 'summaries, so a build fetches each article that is new';
    return [...bad, { level: 'note', text }];
  }
  if (inRows.length < listed.length) {
    const rest = listed.length - inRows.length;
    const text = `${inRows.length} of ${listed.length} have all four fields; ${rest} are summaries`;
    return [...bad, { level: 'note', text }];
  }
  const { articles, sameAsRow, problems } = await check.sample();
  if (articles.length === 0) return [...bad, { level: 'ok', text: 'all four fields' }];
  if (sameAsRow === articles.length) {
    if (bad.length + problems.length === 0) check.suggested.trustList = true;
    return [...bad, { level: 'ok', text: 'all four fields, the same as in the articles' }];
  }
  const different = articles.length - sameAsRow;
  const text = `all four fields, but ${different} of ${articles.length} articles contain something else`;
  const fix = 'Every build fetches such an article. Do not set `trustList`.';
  return [...bad, { level: 'note', text, fix }];
}

async function probeArticles(check: Check): Promise<ProbeResult[]> {
  const { articles, removed, problems } = await check.sample();
  const gone = removed > 0 ? `, ${removed} removed meanwhile` : '';
  const text = `${articles.length} fetched one by one${gone}`;
  const fix = "Fix it in the service, or set `onInvalid: 'keep'` to build without it.";
  return [
    { level: articles.length > 0 || removed > 0 ? 'ok' : 'unknown', text },
    ...problems.map(({ id, reason }) => ({
      level: 'wrong' as const,
      text: `${JSON.stringify(id)} cannot be used: ${reason}`,
      fix,
    })),
  ];
}

/** Lists forms, each with the number of its values. */
export function countForms(forms: readonly string[]): string {
  const groups = [...Map.groupBy(forms, (form) => form)].sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([form, values]) => `${values.length} ${form}`).join(', ') || 'none seen';
}

async function probeDrafts(check: Check): Promise<ProbeResult[]> {
  const articles = await articlesOf(check);
  const drafts = articles.filter(isDraft).length;
  const effect = drafts > 0 ? ', and are left out' : '';
  const text = `${drafts} of ${articles.length} have no title or no content${effect}`;
  return [{ level: articles.length > 0 ? 'ok' : 'unknown', text }];
}

async function probeFields(check: Check): Promise<ProbeResult[]> {
  const { articles } = await check.sample();
  const extras = [...check.inRows, ...articles].map(({ extra }) => extra);
  const names = [...new Set(extras.flatMap((extra) => Object.keys(extra)))].sort();
  if (names.length === 0) return [];
  const text = `also ${names.map((name) => `\`${name}\``).join(', ')}`;
  const fix = `To use them, replace the schema of the collection: ${schemaFor(names, extras)}`;
  return [{ level: 'ok', text, fix }];
}

const frontMatter = /^\uFEFF?\s*---[ \t]*\r?\n\s*[\w-]+[ \t]*:[\s\S]*?\n---[ \t]*(\r?\n|$)/;
const codeBlock = /^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm;
const relativeLink =
  /(?<!!)\[[^\]]*\]\(<?(?!#|\/\/|[a-z][a-z\d+.-]*:)[^\s)>]|<a\s[^>]*?href\s*=\s*["']?(?!#|\/\/|[a-z][a-z\d+.-]*:)[^\s"'>]/i;

async function probeBodies(check: Check): Promise<ProbeResult[]> {
  const contents = (await articlesOf(check)).map(({ content }) => content);
  const among = `of ${contents.length} articles`;
  const linked = contents.filter((text) => relativeLink.test(text.replace(codeBlock, ''))).length;
  const headed = contents.filter((text) => frontMatter.test(text)).length;
  const results: ProbeResult[] = [];
  if (linked > 0) {
    const fix =
      "They lead to pages of the site. If they belong to the service, set `links: 'service'`.";
    results.push({ level: 'note', text: `${linked} ${among} have relative links`, fix });
  }
  if (headed > 0) {
    const fix =
      'It is left out of the page. The option `transform` gets its fields as `frontMatter`.';
    results.push({ level: 'note', text: `${headed} ${among} begin with YAML front matter`, fix });
  }
  return results;
}

/** The articles whose text is known: all those of the rows, or the sample. */
export async function articlesOf({ inRows, sample }: Check): Promise<Article[]> {
  return inRows.length > 0 ? inRows : (await sample()).articles;
}
