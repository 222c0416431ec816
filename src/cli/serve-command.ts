import { once } from 'node:events';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { printable } from '../errors.ts';
import { type Arguments, type Command, CommandError, folder, wholeNumber } from './command.ts';
import { openFolder } from './serve/folder.ts';
import { serveArticles } from './serve/service.ts';
import { err, out } from './terminal.ts';

const defaultPort = 4380;
const builtInFolder = fileURLToPath(new URL('../../fixtures/examples/', import.meta.url));

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Serves a folder of Markdown files like the service, without network or key',
  argument: '[folder]',
  description: `Serves the Markdown files of a folder like the article service; without a folder, the articles that come
with the package. Changes to the files take effect with the next request. A file that is not UTF-8 or
cannot be parsed, and an id that two files have, are problems of these articles: the response to a
request for one of them is 422 with the reason. Pictures of the folder can be used in its texts and in
their front matter.

A file may begin with front matter:

  ---
  id: how-tides-work      default: the name of the file, or of the folder of an index.md
  title: How tides work   default: the first heading, or else that name
  cover: images/tides.jpg a file relative to this one, or a URL; also heroImage, image or cover_image
  date: 2024-05-01        also pubDate; if files have it, the newest are listed first
  author: Ada             any other field of the article
  ---`,
  options: {
    port: {
      value: '<number>',
      description: `The port on this machine (default: ${defaultPort}); 0 selects any free one`,
    },
  },
  run: serve,
};

async function serve(given: Arguments): Promise<number> {
  const port = wholeNumber(given, 'port', { range: [0, 65_535], otherwise: defaultPort });
  const [path] = given.positionals;
  const own = path === undefined ? undefined : folder(path);
  const mediaFolder = own ?? builtInFolder;
  const read = openFolder(mediaFolder, (line) => err(`! ${printable(line)}`));
  const { length } = read().articles;
  if (length === 0) {
    const hint = '`astro-articles serve --help` describes the files.';
    throw new CommandError(`${mediaFolder} contains no Markdown files.`, hint);
  }
  const { url, apiKey, close } = await serveArticles({ port, read, mediaFolder }).catch((error) => {
    throw error.code === 'EADDRINUSE' ? portInUse(port) : error;
  });
  const source = own ? relative('', own) || 'this folder' : 'the built-in articles';
  const count = length === 1 ? '1 article' : `${length} articles`;
  out(`${styleText('bold', url)} serves ${count} from ${source}. Ctrl-C stops it.

For the .env file of a site:

ARTICLES_BASE_URL=${url}
ARTICLES_API_KEY=${apiKey}
`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  close();
  return 0;
}

function portInUse(port: number): CommandError {
  return new CommandError(
    `Port ${port} is in use.`,
    `Choose another one: --port ${port + 1}, or --port 0 for any free port.`,
  );
}
