import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build, preview } from 'astro';

const root = fileURLToPath(new URL('.', import.meta.url));
const port = Number(process.env.PORT ?? 4321);

if (await isTaken(port)) {
  console.error(`Port ${port} is in use. Choose another one: PORT=4322 npm start`);
  process.exit(1);
}
await build({ root });
const server = await preview({ root, server: { port }, logLevel: 'warn' });

const { articles } = JSON.parse(
  await readFile(new URL('dist/about.json', import.meta.url), 'utf8'),
);
const source = process.env.ARTICLES_BASE_URL ?? 'the fixture service';
console.log(
  `\n${articles} articles from ${source} at http://localhost:${server.port}/ (Ctrl-C ends it)`,
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => server.stop().finally(() => process.exit(0)));
}

/** Astro would take the next free port instead, and nobody would find the site. */
function isTaken(wanted: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(true));
    probe.listen(wanted, () => probe.close(() => resolve(false)));
  });
}
