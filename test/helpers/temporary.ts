import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { listen } from '../../fixtures/listen.ts';

/** Creates an empty folder, which is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'articles-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a server on a free port of loopback, which stops after the test. */
export async function temporaryServer(
  server: Server | RequestListener,
): Promise<{ port: number; url: string }> {
  const started = typeof server === 'function' ? createServer(server) : server;
  const { port, close } = await listen(started, { port: 0, host: '127.0.0.1' });
  onTestFinished(close);
  return { port, url: `http://127.0.0.1:${port}` };
}
