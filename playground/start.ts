import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build, preview } from 'astro';

const root = fileURLToPath(new URL('./', import.meta.url));
const port = Number(process.env.PORT || 4321);

if (!(port > 0 && port < 65536)) {
  end(`PORT is ${process.env.PORT}, but a port is a number from 1 to 65535.`);
}
if (!(await isFree(port))) {
  end(`Port ${port} is in use. Choose another one with PORT: PORT=${port + 1} npm start`);
}
await build({ root }).catch(({ message, hint }) => end([message, hint].filter(Boolean).join('\n')));
const server = await preview({ root, server: { port }, logLevel: 'warn' });

const about = await readFile(new URL('dist/about.json', import.meta.url), 'utf8');
const { articles } = JSON.parse(about);
const source = process.env.ARTICLES_BASE_URL || 'the fixture service';
console.log(
  `\n${articles} articles from ${source} at http://localhost:${server.port}/ (Ctrl-C ends it)`,
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => server.stop().finally(() => process.exit(0)));
}

/** Astro would take the next free port instead, and nobody would find the site. */
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
