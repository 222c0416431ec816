import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printable } from '../messages.ts';
import { defaultPort, serveFolder } from '../serve/index.ts';
import { type Command, CommandError, type OptionValues } from './command.ts';

const builtInFolder = fileURLToPath(new URL('../../fixtures/examples/', import.meta.url));

export const serveCommand: Command = {
  name: 'serve',
  options: { port: { type: 'string' } },
  argument: '[folder]',
  help: `Usage: astro-articles serve [folder] [options]

Serves the Markdown files of a folder like the article service; without a folder, the articles that come
with the package. Changes take effect with the next request. Pictures of the folder can be used in its
texts and in their front matter, which may have:

  id: how-tides-work       default: the name of the file, or of the folder of an index.md; in the
                           folder of a collection, that of glob()
  title: How tides work    default: the first heading, or else that name
  cover: images/tides.jpg  a file relative to this one, or a URL; also heroImage, image or cover_image
  date: 2024-05-01         also pubDate, pubDatetime, publishDate, publishedAt or published; files
                           with a date are listed first, the newest at the top
  author: Ada              any other field of the article

Options:
  --port <number>  The port on this machine (default: ${defaultPort}); 0 selects any free one
  --help           Shows this text`,
  run: serve,
};

async function serve({ port = String(defaultPort) }: OptionValues, path?: string): Promise<number> {
  const served = path === undefined ? builtInFolder : resolve(path);
  const number = /^\d+$/.test(port) ? Number(port) : Number.NaN;
  const { url, apiKey, count, warnings, close } = await serveFolder(served, { port: number }).catch(
    (error: NodeJS.ErrnoException) => {
      throw commandError(error, served, port);
    },
  );
  for (const line of warnings) console.error(`! ${printable(line)}`);
  if (count === 0) {
    await close();
    const hint = '`astro-articles serve --help` describes the files.';
    throw new CommandError(`${served} contains no Markdown files.`, hint);
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit());
  const source = relative('', served) || 'this folder';
  const articles = count === 1 ? '1 article' : `${count} articles`;
  console.log(`${url} serves ${articles} from ${source}. Ctrl-C stops it.

For the .env file of a site:

ARTICLES_BASE_URL=${url}
ARTICLES_API_KEY=${apiKey}
`);
  // It ends with a signal.
  return new Promise(() => undefined);
}

/** Returns the error for a folder or a port that cannot be used. */
function commandError({ code }: NodeJS.ErrnoException, path: string, port: string): CommandError {
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const problem =
      code === 'ENOENT' ? `The folder ${path} does not exist.` : `${path} is not a folder.`;
    return new CommandError(problem, 'Check the path, or create the folder.');
  }
  const problem = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`;
  const hint = 'Choose another one, or --port 0 for any free port.';
  return new CommandError(`Port ${printable(port)} ${problem}.`, hint);
}
