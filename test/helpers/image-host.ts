import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a host answers for one path: bytes as they are, or whatever a handler does. */
export type ImageAnswer = Buffer | ((request: IncomingMessage, response: ServerResponse) => void);

export interface ImageHost {
  port: number;
  /** On an address that only a site which names `127.0.0.1` may ask. */
  url: string;
  /** Every request so far. */
  requests: { path: string; headers: IncomingMessage['headers'] }[];
  answers: Map<string, ImageAnswer>;
  close(): Promise<void>;
}

/** Starts a server of images that has nothing to do with the service. */
export async function startImageHost(): Promise<ImageHost> {
  const answers = new Map<string, ImageAnswer>();
  const requests: ImageHost['requests'] = [];
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    requests.push({ path, headers: request.headers });
    const answer = answers.get(path);
    if (typeof answer === 'function') answer(request, response);
    else if (answer) response.end(answer);
    else response.writeHead(404).end('no such image');
  });
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    answers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The bytes of one of the fixture covers. */
export function fixtureCover(name: string): Promise<Buffer> {
  return readFile(new URL(`../../fixtures/covers/${name}`, import.meta.url));
}
