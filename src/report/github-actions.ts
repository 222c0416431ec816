import { appendFileSync } from 'node:fs';
import type { WarningKind } from '../shared/logger.ts';
import type { LoadReport } from './load-report.ts';
import { firstTexts, summarise } from './summary.ts';

/**
 * Shows the report of a load on the page of a GitHub Actions run: an annotation for each kind of warning,
 * and a summary of the step. Does nothing elsewhere. The lines bypass Astro's logger, which writes the
 * time first: GitHub reads commands only at the start of a line.
 */
export function reportToGithub(report: LoadReport, env: NodeJS.ProcessEnv = process.env): void {
  if (env.GITHUB_ACTIONS !== 'true') return;
  process.stdout.write(annotationsOf(report).join(''));
  if (!env.GITHUB_STEP_SUMMARY) return;
  try {
    appendFileSync(env.GITHUB_STEP_SUMMARY, stepSummary(report));
  } catch {
    // The annotations and the log have the same information.
  }
}

const titles: Record<WarningKind, string> = {
  outage: 'not up to date',
  articles: 'articles with problems',
  images: 'images with problems',
  listing: 'unreliable listing',
  other: 'warning',
};

function annotationsOf({ collection, status, error = '', warnings }: LoadReport): string[] {
  const annotation = (level: 'error' | 'warning', title: string, text: string) =>
    `::${level} title=${escapeProperty(`Collection "${collection}": ${title}`)}::${escapeData(text)}\n`;
  if (status === 'failed') return [annotation('error', 'not loaded', error)];
  return [...Map.groupBy(warnings, ({ kind }) => kind)].map(([kind, group]) => {
    const count = group.length > 1 ? ` (${group.length})` : '';
    return annotation('warning', titles[kind] + count, firstTexts(group).join('\n'));
  });
}

function stepSummary({ collection, status, error, warnings, ...report }: LoadReport): string {
  const result = [status, summarise(report) ?? []].flat().join(': ');
  const notes = [result, ...(status === 'failed' && error ? [error] : []), ...firstTexts(warnings)];
  const lines = notes.map((note) => `- ${escapeMarkdown(note)}\n`);
  return `### Articles: collection ${escapeMarkdown(collection)}\n\n${lines.join('')}\n\n`;
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
