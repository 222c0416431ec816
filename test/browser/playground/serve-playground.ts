import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { listen } from '../../../fixtures/listen.ts';

const start = fileURLToPath(new URL('../../../playground/start.ts', import.meta.url));

/** Builds and serves the playground once for both projects, which read its URL from `PLAYGROUND_URL`. */
export default async function servePlayground() {
  if (process.env.PLAYGROUND_URL) return undefined;
  const { url, stop } = await startPlayground();
  process.env.PLAYGROUND_URL = url;
  return stop;
}

/** Returns the URL of the playground. */
export function playgroundUrl(): string {
  const url = process.env.PLAYGROUND_URL;
  if (!url) throw new Error('The playground was not started.');
  return url;
}

/** Builds the playground, and serves it until `stop()` is called. */
export async function startPlayground() {
  const { port, close } = await listen(createServer(), { port: 0, host: 'localhost' });
  await close();
  const url = `http://localhost:${port}`;
  // Vitest sets NODE_ENV to `test`, which would make the build a development build.
  const env = { ...process.env, NODE_ENV: 'production', PORT: String(port) };
  const child = spawn(process.execPath, [start], { env });
  const ended = once(child, 'exit');
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    const read = (data: unknown) => {
      printed += String(data);
      if (printed.includes(`${url}/`)) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(printed)));
  });
  const stop = async () => {
    child.kill();
    await ended;
  };
  return { url, stop };
}
