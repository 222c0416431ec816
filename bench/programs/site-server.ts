import { once } from 'node:events';
import { createServer } from 'node:net';
import { sendMeasurements } from './kept.ts';

export interface ServerReady {
  url: string;
}

const { entry, env }: { entry: string; env: Record<string, string> } = JSON.parse(
  process.argv[2] ?? '',
);
const port = await freePort();
Object.assign(process.env, env, { HOST: '127.0.0.1', PORT: String(port) });
await import(entry);

sendMeasurements();
const url = `http://127.0.0.1:${port}`;
while (!(await fetch(url).catch(() => undefined)));
process.send?.({ url } satisfies ServerReady);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
