import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printable } from '../errors.ts';
import { type Command, CommandError, folder, type OptionValues } from './command.ts';
import { openFolder } from './serve/folder.ts';
import { serveArticles } from './serve/service.ts';

const defaultPort = '4380';
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
  date: 2024-05-01         also pubDate; if files have it, the newest are listed first
  author: Ada              any other field of the article

Options:
  --port <number>  The port on this machine (default: ${defaultPort}); 0 selects any free one
  --help           Shows this text`,
  run: serve,
};

async function serve({ port = defaultPort }: OptionValues, path?: string): Promise<number> {
  const served = path === undefined ? builtInFolder : folder(path);
  const read = openFolder(served);
  const { warnings, files } = read();
  for (const line of warnings) console.error(`! ${printable(line)}`);
  const { length } = files;
  if (length === 0) {
    const hint = '`astro-articles serve --help` describes the files.';
    throw new CommandError(`${served} contains no Markdown files.`, hint);
  }
  const { url, apiKey } = await serveArticles(
    /^\d+$/.test(port) ? Number(port) : Number.NaN,
    served,
    read,
  ).catch((error) => {
    const problem = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${error.code})`;
    const hint = 'Choose another one, or --port 0 for any free port.';
    throw new CommandError(`Port ${printable(port)} ${problem}.`, hint);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit());
  const source = relative('', served) || 'this folder';
  const count = length === 1 ? '1 article' : `${length} articles`;
  console.log(`${url} serves ${count} from ${source}. Ctrl-C stops it.

For the .env file of a site:

ARTICLES_BASE_URL=${url}
ARTICLES_API_KEY=${apiKey}
`);
  // It ends with a signal.
  return new Promise(() => undefined);
}
