import { relative } from 'node:path';
import { type Arguments, type Command, CommandError, folder, wholeNumber } from './command.ts';
import { builtIn } from './serve/built-in.ts';
import { openFolder } from './serve/folder.ts';
import { serveArticles } from './serve/service.ts';
import type { Terminal } from './terminal.ts';

const defaultPort = 4380;

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Serves a folder of Markdown files as the service, to work without network or key',
  takesArgument: true,
  options: { port: { type: 'string' } },
  help: `Usage: astro-articles serve [folder] [--port ${defaultPort}]

Serves the Markdown files of a folder as the article service does; without a folder, the articles that
come with the package. A file that is edited is served at once.

A file may begin with front matter:

  ---
  id: 42                  without it, the file's name
  title: How tides work   without it, the first heading
  cover: images/tides.jpg a file beside this one, or a URL
  ---

Options:
  --port <number>  Where to listen on this machine (${defaultPort}); 0 takes any free port
  --help           Shows this
`,
  run: serve,
};

async function serve(given: Arguments, terminal: Terminal): Promise<number> {
  const port = wholeNumber(given, 'port', { range: [0, 65_535], otherwise: defaultPort });
  const own = given.argument === undefined ? undefined : folder(given.argument, 'serve');
  const shelf = openFolder(own ?? builtIn.articles, {
    onChange: (paths) => terminal.out(`${terminal.style('dim', clock())} ${changed(paths)}`),
    onFault: (message) => terminal.err(`${message} Its last good state is served, if any.`),
  });
  try {
    const service = await start({
      port,
      articles: shelf.articles,
      mediaFolder: own ?? builtIn.media,
    });
    const count = shelf.articles().length;
    const source = own ? relative('', own) || 'this folder' : 'the built-in articles';
    terminal.out(
      [
        `${terminal.style('bold', service.url)} serves ${count} ${count === 1 ? 'article' : 'articles'} from ${source}. Ctrl-C ends it.`,
        '',
        'For the .env file of a site:',
        '',
        `ARTICLES_BASE_URL=${service.url}`,
        `ARTICLES_API_KEY=${service.apiKey}`,
        '',
      ].join('\n'),
    );
    await untilSignal();
    await service.close();
    return 0;
  } finally {
    shelf.close();
  }
}

async function start({ port, ...options }: { port: number } & Parameters<typeof serveArticles>[0]) {
  return serveArticles({ ...options, port }).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new CommandError(
      `Port ${port} is in use.`,
      `Choose another one: --port ${port + 1}, or --port 0 for any that is free.`,
    );
  });
}

function changed(paths: readonly string[]): string {
  const [first, ...rest] = paths;
  return `changed: ${first}${rest.length > 0 ? ` and ${rest.length} more` : ''}`;
}

function clock(): string {
  return new Date().toTimeString().slice(0, 8);
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
