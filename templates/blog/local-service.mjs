// Serves the folder `articles` while neither `.env` nor the environment names a service, and ends with Astro.
// With a service of your own, delete the folder, this file, and its line in astro.config.mjs.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';

const file = existsSync('.env') ? readFileSync('.env', 'utf8') : '';
const isNamed = process.env.ARTICLES_BASE_URL || /^\s*ARTICLES_BASE_URL\s*=/m.test(file);
if (!isNamed) await serveFolder();

async function serveFolder() {
  const command = new URL('dist/cli/main.js', import.meta.resolve('astro-articles/package.json'));
  const argv = ['serve', '--port', await freePort(), 'articles'];
  const service = new Worker(command, { argv, stdout: true });
  for await (const line of createInterface(service.stdout)) {
    const [, name, value] = /^(ARTICLES_\w+)=(.+)$/.exec(line) ?? [];
    if (name) process.env[name] = value;
    if (name === 'ARTICLES_API_KEY') break;
  }
  // A finished build does not wait for it.
  service.unref();
}

/** Returns the same port each time, so that pictures are downloaded once; another one while that is in use. */
function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve('0'));
    probe.listen(4380, '127.0.0.1', () => probe.close(() => resolve('4380')));
  });
}
