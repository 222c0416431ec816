import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the playground is, and what `npm start` printed until it was there. */
    playground: { url: string; printed: string };
  }
}

const start = fileURLToPath(new URL('../../playground/start.ts', import.meta.url));
const port = 4399;
const url = `http://localhost:${port}`;

/** Builds and serves the playground once for all tests in a browser. */
export default async function servePlayground({ provide }: TestProject) {
  const child = spawn(process.execPath, [start], { env: { ...process.env, PORT: String(port) } });
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
  provide('playground', { url, printed });

  return async () => {
    child.kill();
    await ended;
  };
}
