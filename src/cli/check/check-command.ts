import { createRedact, type Redact } from '../../client/http/api-key.ts';
import type { ArticlesOptions } from '../../options/options.ts';
import { systemClock } from '../../shared/clock.ts';
import { type Arguments, type Command, folder, text, wholeNumber } from '../command.ts';
import { optionsOf, readSite } from '../site.ts';
import type { Format, Terminal } from '../terminal.ts';
import { createBudget } from './budget.ts';
import { checkService } from './check.ts';
import type { Finding, Level } from './probe.ts';

const defaultRequests = 30;

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

/** The document of `--json`. Keys are only ever added. */
interface Report {
  /** Whether nothing is wrong. */
  ok: boolean;
  baseUrl: string;
  requests: { used: number; limit: number };
  /** The options that suit the service. */
  options: ArticlesOptions | null;
  findings: Finding[];
  /** The topics that could not be checked. */
  unchecked: string[];
}

async function check(given: Arguments, terminal: Terminal): Promise<number> {
  const root = folder(text(given, 'root') ?? '.', '--root');
  const limit = wholeNumber(given, 'requests', { range: [1, 1000], otherwise: defaultRequests });
  const site = await readSite(root);
  const options = optionsOf(site, { baseUrl: text(given, 'base-url'), offline: false });
  const { baseUrl, apiKey } = options;

  const budget = createBudget(options, limit);
  const progress = showProgress(terminal, baseUrl);
  const result = await checkService(budget, { options, onTopic: progress.show }).finally(
    progress.stop,
  );
  const { findings, unchecked, suggested = null } = result;
  const report: Report = {
    ok: findings.every(({ level }) => level !== 'wrong'),
    baseUrl,
    requests: { used: budget.used, limit },
    options: suggested,
    findings,
    unchecked,
  };
  const redact = createRedact(apiKey);
  if (given.values.json) terminal.out(toJson(report, redact));
  else print(report, { terminal, redact });
  return report.ok ? 0 : 1;
}

/** Shows what is being checked, and for how long, because a service may take half a minute to fail. */
function showProgress(terminal: Terminal, baseUrl: string) {
  const started = systemClock.now();
  let topic = '';
  const update = () => {
    const seconds = Math.round((systemClock.now() - started) / 1000);
    const line = `Checking ${baseUrl}: ${topic}, ${seconds} s …`;
    if (terminal.showsStatus) terminal.status(line);
    else if (seconds > 0 && seconds % 10 === 0) terminal.err(line);
  };
  const timer = setInterval(update, 1000);
  return {
    show(next: string) {
      topic = next;
      if (terminal.showsStatus) update();
    },
    stop() {
      clearInterval(timer);
      terminal.status('');
    },
  };
}

/** Responses may contain anything, such as the key or control characters of a terminal. */
function toJson(report: Report, redact: Redact): string {
  const clean = (_: string, value: unknown) => (typeof value === 'string' ? redact(value) : value);
  return JSON.stringify(report, clean, 2);
}

const marks: Record<Level, [mark: string, format: Format]> = {
  ok: ['✓', 'green'],
  note: ['!', 'yellow'],
  unknown: ['?', 'cyan'],
  wrong: ['✗', 'red'],
};

function print(
  { baseUrl, requests, findings, unchecked, options }: Report,
  { terminal, redact }: { terminal: Terminal; redact: Redact },
): void {
  const width = Math.max(...findings.map(({ topic }) => topic.length));
  terminal.out(terminal.style('bold', baseUrl));
  terminal.out('');
  for (const { topic, level, text, fix } of findings) {
    const [mark, format] = marks[level];
    terminal.out(`${terminal.style(format, mark)} ${topic.padEnd(width)}  ${redact(text)}`);
    if (fix) terminal.out(`${' '.repeat(width + 4)}${terminal.style('dim', redact(fix))}`);
  }
  terminal.out('');
  if (options) {
    terminal.out('Options that suit this service:');
    terminal.out('');
    for (const line of asCode(options)) terminal.out(line.replace(/\S.*/, redact));
    terminal.out('');
    if (unchecked.length > 0) terminal.out(`Not checked: ${unchecked.join(', ')}.`);
  }
  terminal.out(`${requests.used} of at most ${requests.limit} requests were sent.`);
}

/** Writes options as they are written in astro.config. */
function asCode(options: ArticlesOptions): string[] {
  const lines = Object.entries(options).map(([name, value]) => {
    const code = typeof value === 'string' ? `'${value.replaceAll("'", "\\\\'")}'` : String(value);
    return `  ${name}: ${code},`;
  });
  return ['articles({', ...lines, '})'];
}
