import { appendFileSync } from 'node:fs';
import type { Warning, WarningKind } from '../shared/logger.ts';
import { type LoadReport, maxWarnings } from './load-report.ts';

/**
 * Shows the report of a load on the page of a GitHub Actions run: an annotation for each kind of warning,
 * and a summary of the step. Does nothing elsewhere. The lines bypass Astro's logger, which writes the
 * time first: GitHub reads commands only at the start of a line.
 */
export function reportToGithub(report: LoadReport, env: NodeJS.ProcessEnv = process.env): void {
  if (env.GITHUB_ACTIONS !== 'true') return;
  const lines = annotationsOf(report).map(
    ({ level, title, text }) => `::${level} title=${escapeProperty(title)}::${escapeData(text)}\n`,
  );
  process.stdout.write(lines.join(''));
  if (!env.GITHUB_STEP_SUMMARY) return;
  try {
    appendFileSync(env.GITHUB_STEP_SUMMARY, stepSummary(report));
  } catch {
    // The annotations and the log have the same information.
  }
}

interface Annotation {
  level: 'error' | 'warning';
  title: string;
  text: string;
}

const titles: Record<WarningKind, string> = {
  outage: 'not up to date',
  articles: 'articles with problems',
  images: 'images with problems',
  listing: 'unreliable listing',
  other: 'warning',
};

function annotationsOf({ collection, status, error, warnings }: LoadReport): Annotation[] {
  const about = (title: string) => `Collection "${collection}": ${title}`;
  if (status === 'failed') {
    return [{ level: 'error', title: about('not loaded'), text: error ?? '' }];
  }
  const groups = Map.groupBy(warnings, ({ kind }) => kind);
  return [...groups].map(([kind, group]) => ({
    level: 'warning',
    title: about(`${titles[kind]}${group.length > 1 ? ` (${group.length})` : ''}`),
    text: textsOf(group).join('\n'),
  }));
}

function stepSummary(report: LoadReport): string {
  const { collection, status, changes, traffic, duration, error, warnings } = report;
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
  const row = (cells: unknown[]) => `| ${cells.join(' | ')} |`;
  const notes = [...(status === 'failed' && error ? [error] : []), ...textsOf(warnings)];
  return [
    `### Articles: collection ${escapeMarkdown(collection)}`,
    '',
    row(known.map(([name]) => name)),
    row(known.map(() => '---')),
    row(known.map(([, value]) => value)),
    '',
    ...notes.map((line) => `- ${escapeMarkdown(line)}`),
    '',
    '',
  ].join('\n');
}

/** Limits the length: GitHub shows no summary that is longer than 1 MiB. */
function textsOf(warnings: readonly Warning[]): string[] {
  const more = warnings.length - maxWarnings;
  const shown = warnings.slice(0, maxWarnings).map(({ text }) => text);
  return more > 0 ? [...shown, `… and ${more} more.`] : shown;
}

/** Escapes a text as GitHub's toolkit does, because a command is one line. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Escapes the syntax of GitHub's Markdown, including mentions and issue references. */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_[\]|#!&~]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '@\u2060')
    .replace(/\s+/g, ' ');
}
