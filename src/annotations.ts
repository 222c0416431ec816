import { appendFileSync } from 'node:fs';
import type { LoadReport } from './report.ts';

/**
 * Shows what a load found on the page of a GitHub Actions run: an annotation for each kind of problem,
 * and a summary of the step. Anywhere else it does nothing. Written raw, since GitHub reads commands
 * only at the start of a line, where Astro's logger puts the time.
 */
export function annotate(report: LoadReport, env: NodeJS.ProcessEnv = process.env): void {
  if (env.GITHUB_ACTIONS !== 'true') return;
  const lines = annotationsOf(report).map(
    ({ level, title, text }) => `::${level} title=${escapeProperty(title)}::${escapeData(text)}\n`,
  );
  process.stdout.write(lines.join(''));
  if (!env.GITHUB_STEP_SUMMARY) return;
  try {
    appendFileSync(env.GITHUB_STEP_SUMMARY, stepSummary(report));
  } catch {
    // Nothing depends on it.
  }
}

interface Annotation {
  level: 'error' | 'warning';
  title: string;
  text: string;
}

const kinds: [RegExp, string][] = [
  [/^(?:Cover|Image) /, 'images that could not be had'],
  [/^article /, 'articles that cannot be used'],
  [/^Nothing was removed/, 'the listing proves nothing'],
];

function annotationsOf({ collection, status, error, warnings }: LoadReport): Annotation[] {
  const about = (title: string) => `Collection "${collection}": ${title}`;
  if (status === 'failed') {
    return [{ level: 'error', title: about('not loaded'), text: error ?? '' }];
  }
  const groups = Map.groupBy(
    warnings.filter((line) => !error || !line.includes(error)),
    (line) => kinds.find(([pattern]) => pattern.test(line))?.[1] ?? 'warning',
  );
  const found = [...groups].map(
    ([title, lines]): Annotation => ({
      level: 'warning',
      title: about(`${title}${lines.length > 1 ? ` (${lines.length})` : ''}`),
      text: lines.join('\n'),
    }),
  );
  return error
    ? [{ level: 'warning', title: about('not up to date'), text: error }, ...found]
    : found;
}

function stepSummary({
  collection,
  status,
  changes,
  traffic,
  duration,
  error,
  warnings,
}: LoadReport) {
  const numbers: Record<string, string | number | undefined> = {
    status,
    articles: changes?.entries,
    added: changes?.added,
    updated: changes?.updated,
    unchanged: changes?.unchanged,
    removed: changes?.removed,
    drafts: changes?.drafts,
    requests: traffic?.requests,
    retries: traffic?.retries,
    time: `${(duration / 1000).toFixed(1)} s`,
  };
  const known = Object.entries(numbers).filter(([, value]) => value !== undefined);
  const cells = (values: unknown[]) => `| ${values.join(' | ')} |`;
  const notes = [error, ...warnings].filter((line) => line !== undefined);
  return [
    `### Articles: collection \`${collection}\``,
    '',
    cells(known.map(([name]) => name)),
    cells(known.map(() => '---')),
    cells(known.map(([, value]) => value)),
    '',
    ...notes.map((line) => `- ${escapeMarkdown(line)}`),
    '',
  ].join('\n');
}

/** As GitHub's toolkit does: a command is one line. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_<>[\]|#]/g, '\\$&').replace(/\s+/g, ' ');
}
