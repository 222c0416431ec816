import { appendFileSync } from 'node:fs';
import type { NoticeKind } from '../shared/notice.ts';
import { firstTexts, type LoadReport, summarise } from './load-report.ts';

/**
 * Shows the report of a load on the page of a GitHub Actions run: an annotation for each kind of notice,
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

const titles: Record<NoticeKind, string> = {
  outage: 'not up to date',
  article: 'articles with problems',
  field: 'ignored fields',
  image: 'images with problems',
  listing: 'unreliable listing',
  other: 'warning',
};

function annotationsOf({ collection, status, error = '', notices }: LoadReport): string[] {
  const annotation = (level: 'error' | 'warning', title: string, text: string) =>
    `::${level} title=${escapeProperty(`Collection "${collection}": ${title}`)}::${escapeData(text)}\n`;
  if (status === 'failed') return [annotation('error', 'not loaded', error)];
  return [...Map.groupBy(notices, ({ kind }) => kind)].map(([kind, group]) => {
    const texts = firstTexts(group);
    const count = texts.length > 1 ? ` (${texts.length})` : '';
    return annotation('warning', titles[kind] + count, texts.join('\n'));
  });
}

function stepSummary({ collection, status, error, notices: all, ...report }: LoadReport): string {
  const result = [status, summarise(report) ?? []].flat().join(': ');
  const texts = [result, ...(status === 'failed' && error ? [error] : []), ...firstTexts(all)];
  const lines = texts.map((text) => `- ${escapeMarkdown(text)}\n`);
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
  return (
    text
      .replace(/[\\`*_[\]|#!&~]/g, '\\$&')
      // In a URL, a backslash escapes nothing, and `<` would end it.
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('@', '@\u2060')
      .replace(/\s+/g, ' ')
  );
}
