#!/usr/bin/env node
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { messageOf, printable } from '../messages.ts';
import { defaultPort, serveFolder } from '../serve/index.ts';
import { packageVersion } from '../shared/version.ts';

const builtInFolder = fileURLToPath(new URL('../../fixtures/examples/', import.meta.url));

const help = `Usage: astro-articles serve [folder] [options]

Serves the Markdown files of a folder like the article service; without a folder, the articles that come
with the package. Changes take effect with the next request. The front matter of a file may have:

  title: How tides work    required
  id: how-tides-work       default: the name of the file, or of the folder of an index.md; in the
                           folder of a collection, that of glob()
  cover: images/tides.jpg  a file relative to this one, or a URL; also heroImage or cover_image
  date: 2024-05-01         also pubDate; files with a date are listed first, the newest at the top
  author: Ada              any other field of the article

Options:
  --port <number>  The port on this machine (default: ${defaultPort}); 0 selects any free one
  --help           Shows this text
  --version        Shows the version

Exit codes: 0 success, 2 the command cannot run.`;

/** Runs a command line, and returns its exit code. While a folder is served, the process does not end. */
async function run(args: string[]): Promise<number> {
  let usage: ReturnType<typeof readArguments>;
  try {
    usage = readArguments(args);
  } catch (error) {
    // These messages contain names of options, but no values, one of which may be a key.
    const [message] = messageOf(error).split(/\.? To |\.?\n/);
    return fail(`${message}.`, `\n${help}`);
  }
  const { values, positionals } = usage;
  const [command = '', ...folders] = positionals;
  if (values.version) return print(packageVersion);
  if (values.help) return print(help);
  if (command !== 'serve') return fail(`Unknown command \`${printable(command)}\`.`, `\n${help}`);
  if (folders.length > 1) return fail('serve takes one folder.', `\n${help}`);
  return serve(resolve(folders[0] ?? builtInFolder), values.port);
}

function readArguments(args: string[]) {
  const options = {
    port: { type: 'string', default: String(defaultPort) },
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'v' },
  } as const;
  return parseArgs({ args, options, allowPositionals: true });
}

async function serve(folder: string, port: string): Promise<number> {
  const number = /^\d+$/.test(port) ? Number(port) : Number.NaN;
  const service = await serveFolder(folder, { port: number }).catch((error) => error);
  if (service instanceof Error) {
    const hint =
      'Check the path of the folder, or choose another port; --port 0 takes any free one.';
    return fail(printable(service.message), hint);
  }
  const { url, apiKey, count, warnings, close } = service;
  for (const line of warnings) console.error(`! ${printable(line)}`);
  if (count === 0) {
    await close();
    return fail(
      `${folder} contains no Markdown files.`,
      'Run it with --help for what they contain.',
    );
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit());
  const source = relative('', folder) || 'this folder';
  const articles = count === 1 ? '1 article' : `${count} articles`;
  console.log(`${url} serves ${articles} from ${source}. Ctrl-C stops it.

For the .env file of a site:

ARTICLES_BASE_URL=${url}
ARTICLES_API_KEY=${apiKey}
`);
  return 0;
}

function print(text: string): number {
  console.log(text);
  return 0;
}

function fail(problem: string, hint: string): number {
  console.error(`astro-articles: ${problem}\n${hint}`);
  return 2;
}

process.exitCode = await run(process.argv.slice(2));
