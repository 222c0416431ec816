import { createRedact, type Redact } from '../../client/http/redact.ts';
import { type Arguments, type Command, folder, text, wholeNumber } from '../command.ts';
import { optionsOf, readSite } from '../site.ts';
import type { Format, Terminal } from '../terminal.ts';
import { createRequests } from './check-requests.ts';
import { checkEnvFiles } from './env-files.ts';
import type { Facts } from './facts.ts';
import { describe, type Finding, type Level } from './findings.ts';
import { inquire } from './inquire.ts';
import { asCode, savedByTrust, suggest } from './suggest.ts';

const defaultRequests = 30;

export const checkCommand: Command = {
  name: 'check',
  summary: 'Asks the service what its contract leaves open, and says which options suit it',
  options: {
    root: { type: 'string' },
    'base-url': { type: 'string' },
    requests: { type: 'string' },
    json: { type: 'boolean' },
  },
  help: `Usage: astro-articles check [options]

Asks the service what its contract leaves open, and says which options suit it. Nothing is written.
Address and key are those of the site: of its astro.config, of ARTICLES_BASE_URL and ARTICLES_API_KEY
in the environment, or of its .env files.

Options:
  --root <folder>    The folder of the site (this one)
  --base-url <url>   Asks this address instead of the site's
  --requests <n>     Sends so many requests at most, those for covers included (${defaultRequests})
  --json             Prints one JSON document instead: ok, baseUrl, requests, options, findings, facts
  --help             Shows this

Exit codes: 0 nothing is wrong, 1 something is, 2 the command was used wrongly.
`,
  run: check,
};

/** What `--json` prints. Keys are only ever added. */
interface Report {
  /** Whether nothing is wrong. */
  ok: boolean;
  baseUrl: string;
  requests: { used: number; limit: number };
  /** The options that suit the service. */
  options: Record<string, unknown>;
  findings: Finding[];
  facts: Facts;
}

async function check(given: Arguments, terminal: Terminal): Promise<number> {
  const root = folder(text(given, 'root') ?? '.', '--root');
  const limit = wholeNumber(given, 'requests', { range: [1, 1000], otherwise: defaultRequests });
  const site = await readSite(root);
  const options = optionsOf(site, { baseUrl: text(given, 'base-url'), offline: false });

  const requests = createRequests(options, limit);
  terminal.status(`Asking ${options.baseUrl} …`);
  const service = await inquire(requests, options);
  const facts = { ...service, envFiles: await checkEnvFiles(site.envFolder, options.apiKey) };
  terminal.status('');
  const findings = describe(facts);
  const report: Report = {
    ok: findings.every(({ level }) => level !== 'wrong'),
    baseUrl: options.baseUrl,
    requests: { used: requests.used, limit },
    options: { ...suggest(facts, options.baseUrl) },
    findings,
    facts,
  };
  const redact = createRedact(options.apiKey);
  if (given.values.json) terminal.out(toJson(report, redact));
  else print(report, { terminal, redact });
  return report.ok ? 0 : 1;
}

/** What the service says may hold anything: even the key, or what moves a terminal's cursor. */
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
  { baseUrl, requests, findings, facts, options }: Report,
  { terminal, redact }: { terminal: Terminal; redact: Redact },
): void {
  const width = Math.max(...findings.map(({ topic }) => topic.length));
  terminal.out(terminal.style('bold', baseUrl));
  terminal.out('');
  for (const { topic, level, text, hint } of findings) {
    const [mark, format] = marks[level];
    terminal.out(`${terminal.style(format, mark)} ${topic.padEnd(width)}  ${redact(text)}`);
    if (hint) terminal.out(`${' '.repeat(width + 4)}${terminal.style('dim', redact(hint))}`);
  }
  terminal.out('');
  if (facts.listing && options.baseUrl) {
    terminal.out('Options that suit this service:');
    terminal.out('');
    terminal.out(redactLines(asCode(options), redact));
    terminal.out('');
    const saved = options.trustList ? savedByTrust(facts) : undefined;
    if (saved) {
      terminal.out(
        `\`trustList\` makes the first sync ${saved.after} instead of ${saved.before} requests.`,
      );
    }
  }
  const rest = facts.complete || facts.failure ? '' : ', so not everything was asked (--requests)';
  terminal.out(`${requests.used} of at most ${requests.limit} requests were sent${rest}.`);
}

function redactLines(text: string, redact: Redact): string {
  return text
    .split('\n')
    .map((line) => /^ */.exec(line)?.[0] + redact(line))
    .join('\n');
}
