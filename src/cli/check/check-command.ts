import { createRedact, type Redact } from '../../client/http/api-key.ts';
import type { ArticlesOptions } from '../../options/options.ts';
import { systemClock } from '../../shared/clock.ts';
import { type Arguments, type Command, folder, text, wholeNumber } from '../command.ts';
import { optionsOf, readSite } from '../site.ts';
import type { Format, Terminal } from '../terminal.ts';
import { type CheckResult, checkService } from './check.ts';
import type { Level } from './probe.ts';

const defaultRequests = 30;
/** Milliseconds between two signs of life. */
const progressInterval = 10_000;

export const checkCommand: Command = {
  name: 'check',
  summary: 'Finds out how the service behaves, and which options suit it',
  options: {
    root: { type: 'string' },
    'base-url': { type: 'string' },
    requests: { type: 'string' },
    json: { type: 'boolean' },
  },
  help: `Usage: astro-articles check [options]

Finds out what the contract of the service leaves open, and which options suit it. It writes nothing.
The address and the key are those of the site: of its astro.config, or of ARTICLES_BASE_URL and
ARTICLES_API_KEY in the environment or in its .env files.

Options:
  --root <folder>    The folder of the site (default: this one)
  --base-url <url>   The address of the service, instead of the site's
  --requests <n>     Sends at most n requests, downloads of covers included (default: ${defaultRequests})
  --json             Prints one JSON document: ok, baseUrl, requests, options, findings, unchecked
  --help             Shows this text

Exit codes: 0 nothing is wrong; 1 something is; 2 wrong usage.
`,
  run: check,
};

async function check(given: Arguments, terminal: Terminal): Promise<number> {
  const root = folder(text(given, 'root') ?? '.', '--root');
  const limit = wholeNumber(given, 'requests', { range: [1, 1000], otherwise: defaultRequests });
  const site = await readSite(root);
  const options = optionsOf(site, { baseUrl: text(given, 'base-url'), offline: false });
  const { baseUrl, apiKey } = options;

  const started = systemClock.now();
  let topic = '';
  // A service may take half a minute to fail.
  const timer = setInterval(() => {
    const seconds = Math.round((systemClock.now() - started) / 1000);
    terminal.err(`Checking ${baseUrl}: ${topic}, ${seconds} s …`);
  }, progressInterval);
  const onTopic = (next: string) => {
    topic = next;
  };
  const result = await checkService(options, limit, onTopic).finally(() => clearInterval(timer));
  const ok = result.findings.every(({ level }) => level !== 'wrong');
  // Keys of this document are only ever added.
  const report = { ok, baseUrl, ...result };
  // Responses may contain anything, such as the key or control characters of a terminal.
  const redact = createRedact(apiKey);
  const clean = (_: string, value: unknown) => (typeof value === 'string' ? redact(value) : value);
  if (given.values.json) terminal.out(JSON.stringify(report, clean, 2));
  else print(report, { terminal, redact });
  return ok ? 0 : 1;
}

const marks: Record<Level, [mark: string, format: Format]> = {
  ok: ['✓', 'green'],
  note: ['!', 'yellow'],
  unknown: ['?', 'cyan'],
  wrong: ['✗', 'red'],
};

function print(
  { baseUrl, requests, findings, unchecked, options }: CheckResult & { baseUrl: string },
  { terminal, redact }: { terminal: Terminal; redact: Redact },
): void {
  const { out, style } = terminal;
  const width = Math.max(...findings.map(({ topic }) => topic.length));
  out(`${style('bold', baseUrl)}\n`);
  for (const { topic, level, text, fix } of findings) {
    const [mark, format] = marks[level];
    out(`${style(format, mark)} ${topic.padEnd(width)}  ${redact(text)}`);
    if (fix) out(`${' '.repeat(width + 4)}${style('dim', redact(fix))}`);
  }
  out('');
  if (options) {
    out('Options that suit this service:\n');
    for (const line of asCode(options)) out(line.replace(/\S.*/, redact));
    out('');
    if (unchecked.length > 0) out(`Not checked: ${unchecked.join(', ')}.`);
  }
  out(`${requests.used} of at most ${requests.limit} requests were sent.`);
}

/** Writes options as they are written in astro.config. */
function asCode(options: ArticlesOptions): string[] {
  const lines = Object.entries(options).map(([name, value]) => {
    const code = typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : String(value);
    return `  ${name}: ${code},`;
  });
  return ['articles({', ...lines, '})'];
}
