import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Arguments, type Command, CommandError, folder, wholeNumber } from './command.ts';
import { openFolder } from './serve/folder.ts';
import { type Service, serveArticles } from './serve/service.ts';
import type { Terminal } from './terminal.ts';

const defaultPort = 4380;
const builtInFolder = fileURLToPath(new URL('../../fixtures/examples/', import.meta.url));

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Serves a folder of Markdown files like the service, without network or key',
  takesArgument: true,
  options: { port: { type: 'string' } },
  help: `Usage: astro-articles serve [folder] [--port ${defaultPort}]

Serves the Markdown files of a folder like the article service; without a folder, the articles that come
with the package. Files can be edited meanwhile.

A file may begin with front matter:

  ---
  id: 42                  default: the name of the file
  title: How tides work   default: the first heading
  cover: images/tides.jpg a file relative to this one, or a URL
  ---

Options:
  --port <number>  The port on this machine (default: ${defaultPort}); 0 selects any free one
  --help           Shows this text
`,
  run: serve,
};

async function serve(given: Arguments, terminal: Terminal): Promise<number> {
  const port = wholeNumber(given, 'port', { range: [0, 65_535], otherwise: defaultPort });
  const own = given.argument === undefined ? undefined : folder(given.argument, 'serve');
  const path = own ?? builtInFolder;
  const { articles, close } = openFolder(path, {
    onChange: (paths) => terminal.out(`${terminal.style('dim', time())} ${describeChange(paths)}`),
    onProblem: (message) => terminal.err(`${message} Its last good state is served, if any.`),
  });
  try {
    const service = await start({ port, articles, mediaFolder: path });
    const count = articles().length;
    const source = own ? relative('', own) || 'this folder' : 'the built-in articles';
    const lines = [
      `${terminal.style('bold', service.url)} serves ${count} ${count === 1 ? 'article' : 'articles'} from ${source}. Ctrl-C stops it.`,
      '',
      'For the .env file of a site:',
      '',
      `ARTICLES_BASE_URL=${service.url}`,
      `ARTICLES_API_KEY=${service.apiKey}`,
      '',
    ];
    terminal.out(lines.join('\n'));
    await untilSignal();
    await service.close();
    return 0;
  } finally {
    close();
  }
}

async function start(options: Parameters<typeof serveArticles>[0]): Promise<Service> {
  return serveArticles(options).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new CommandError(
      `Port ${options.port} is in use.`,
      `Choose another one: --port ${options.port + 1}, or --port 0 for any free port.`,
    );
  });
}

function describeChange([first, ...rest]: readonly string[]): string {
  return `changed: ${first}${rest.length > 0 ? ` and ${rest.length} more` : ''}`;
}

function time(): string {
  return new Date().toTimeString().slice(0, 8);
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
