import { inspect, styleText } from 'node:util';
import { seeOptions } from '../../documentation.ts';
import { printable } from '../../errors.ts';
import { createRedact } from '../../http/api-key.ts';
import {
  type Arguments,
  type Command,
  pageUrl,
  text,
  usageError,
  wholeNumber,
} from '../command.ts';
import { openSite } from '../site.ts';
import { out } from '../terminal.ts';
import { type CheckResult, checkService } from './check.ts';
import { checkLivePage } from './live-page.ts';

const defaultRequests = 30;

export const checkCommand: Command = {
  name: 'check',
  summary: 'Finds out how the service behaves, and which options suit it',
  takes: 0,
  help: `Usage: astro-articles check [options]

Finds out what the contract of the service leaves open, and which options suit it. It writes nothing.
The address and the key are those of the site: of its astro.config, or of ARTICLES_BASE_URL and
ARTICLES_API_KEY in the environment or in its .env files.

Options:
  --root <folder>    The folder of the site (default: this one)
  --base-url <url>   The address of the service, instead of the site's
  --requests <n>     Sends at most n requests, downloads of covers included (default: ${defaultRequests})
  --live <url>       Checks how a live page of the deployed site is cached, instead of the service
  --json             Prints one JSON document: ok, baseUrl, requests, options, findings, unchecked;
                     with --live: ok, url, findings
  --help             Shows this text

Exit codes: 0 nothing is wrong; 1 something is; 2 wrong usage.
`,
  run: check,
};

async function check(given: Arguments): Promise<number> {
  const page = text(given, 'live');
  if (page !== undefined) {
    const unused = ['base-url', 'requests'].find((name) => text(given, name) !== undefined);
    if (unused)
      throw usageError(`--live and --${unused} exclude each other.`, 'Leave one of them out.');
    const url = pageUrl(
      page,
      'The value of --live',
      'For example --live https://www.example.com/live/1',
    );
    return print({ url: page, findings: await checkLivePage(url) }, printable, given);
  }
  const limit = wholeNumber(given, 'requests', { range: [1, 1000], otherwise: defaultRequests });
  const { options } = await openSite(given);
  const { baseUrl, apiKey } = options;
  // Printed first, because a service may take half a minute to fail.
  if (!given.values.json) out(`${styleText('bold', baseUrl)}\n`);
  return print({ baseUrl, ...(await checkService(options, limit)) }, createRedact(apiKey), given);
}

/**
 * Prints a report, and returns the exit code. Keys of the JSON document are only ever added.
 *
 * @param redact cleans texts, because responses may contain anything, such as the key or control characters of a terminal
 */
function print(
  report: Pick<CheckResult, 'findings'> & Partial<CheckResult> & { baseUrl?: string; url?: string },
  redact: (text: string) => string,
  given: Arguments,
): number {
  const ok = report.findings.every(({ level }) => level !== 'wrong');
  // A key such as "wrong" must not replace a level, or a topic.
  const isOwn = (name: string) => ['topic', 'level'].includes(name);
  const clean = (name: string, value: unknown) =>
    typeof value === 'string' && !isOwn(name) ? redact(value) : value;
  const document = JSON.stringify({ ok, ...report }, clean, 2);
  if (given.values.json) out(document);
  else printText(JSON.parse(document));
  return ok ? 0 : 1;
}

const marks = {
  ok: ['✓', 'green'],
  note: ['!', 'yellow'],
  unknown: ['?', 'cyan'],
  wrong: ['✗', 'red'],
} as const;

function printText({
  findings,
  options,
  unchecked = [],
  requests,
}: Parameters<typeof print>[0]): void {
  const width = Math.max(...findings.map(({ topic }) => topic.length));
  for (const { topic, level, text, fix } of findings) {
    const [mark, colour] = marks[level];
    out(`${styleText(colour, mark)} ${topic.padEnd(width)}  ${text}`);
    const all = `${text} ${fix ?? ''}`;
    const pages = seeOptions(all).filter((line) => level !== 'ok' && !all.includes(line));
    for (const line of [...(fix ? [fix] : []), ...pages]) {
      out(`${' '.repeat(width + 4)}${styleText('dim', line)}`);
    }
  }
  if (!requests) return;
  out('');
  if (options) {
    const code = inspect(options, { compact: false });
    out(`Options that suit this service:\n\narticles(${code})\n`);
    if (unchecked.length > 0) out(`Not checked: ${unchecked.join(', ')}.`);
  }
  out(`${requests.used} of at most ${requests.limit} requests were sent.`);
}
