import { appendFileSync } from 'node:fs';
import type { LoadReport, WarningKind } from './load-report.ts';

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

const titles: Record<WarningKind, string> = {
  outage: 'not up to date',
  articles: 'articles that cannot be used',
  images: 'images that could not be had',
  listing: 'the listing proves nothing',
  other: 'warning',
};

function annotationsOf({ collection, status, error, warnings }: LoadReport): Annotation[] {
  const about = (title: string) => `Collection "${collection}": ${title}`;
  if (status === 'failed') {
    return [{ level: 'error', title: about('not loaded'), text: error ?? '' }];
  }
  const groups = Map.groupBy(warnings, ({ kind }) => kind);
  return [...groups].map(([kind, alike]) => ({
    level: 'warning',
    title: about(`${titles[kind]}${alike.length > 1 ? ` (${alike.length})` : ''}`),
    text: alike.map(({ text }) => text).join('\n'),
  }));
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
  const notes = [
    ...(status === 'failed' && error ? [error] : []),
    ...warnings.map(({ text }) => text),
  ];
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
