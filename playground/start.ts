import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { build, preview } from 'astro';
import { readEnvFile, startFixtureService } from './fixture-service.ts';
import { renamed, scenes } from './src/service.ts';

const root = fileURLToPath(new URL('./', import.meta.url));
const port = Number(process.env.PORT || 4321);

if (!(port > 0 && port < 65536)) {
  end(`PORT is ${process.env.PORT}, but a port is a number from 1 to 65535.`);
}
if (!(await isFree(port))) {
  end(`Port ${port} is in use. Choose another one with PORT: PORT=${port + 1} npm start`);
}
readEnvFile();
const results = collectResults();
if (process.env.ARTICLES_BASE_URL) await buildSite();
else await buildTwice();
const server = await preview({ root, server: { port }, logLevel: 'warn' });

const url = `http://localhost:${server.port}`;
const json = process.env.ARTICLES_BASE_URL
  ? ''
  : ', with its JSON at /api/integrations/project/articles/';
console.log(['', ...results].join('\n'));
console.log(`\nThe playground is at ${url}/${json} (Ctrl-C stops it)`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => server.stop().finally(() => process.exit(0)));
}

async function buildSite(): Promise<void> {
  await build({ root }).catch(({ message, hint }) =>
    end([message, hint].filter(Boolean).join('\n')),
  );
}

/** Builds the site before and after a change in the service: an article has another title, and a request fails. */
async function buildTwice(): Promise<void> {
  const service = await startFixtureService();
  const articles = [...service.articles];
  service.change(renamed.id, { title: renamed.formerTitle });
  await buildSite();
  scenes().earlier.push({ title: 'The first build', requests: [...service.requests] });
  service.clearRequests();
  service.replace(articles);
  service.fail({ on: 'list', fault: { kind: 'status', status: 503 } });
  await buildSite();
}

/** Collects the lines of the builds that say what was added, updated and redirected, to repeat them at the end. */
function collectResults(): string[] {
  const lines: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = ((...args: Parameters<typeof write>) => {
    const printed = stripVTControlCharacters(String(args[0])).match(
      /\S+ articles shown.*|Redirects from.*/g,
    );
    lines.push(...(printed ?? []));
    return Reflect.apply(write, process.stdout, args);
  }) as typeof write;
  return lines;
}

/** Reports whether the port is free. Astro would use the next one without saying so. */
function isFree(wanted: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port: wanted, host: 'localhost' }, () => probe.close(() => resolve(true)));
  });
}

function end(message: string): never {
  console.error(`\n${message}`);
  process.exit(1);
}
