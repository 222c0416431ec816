import { createServer, request } from 'node:http';
import { listen } from '../../fixtures/listen.ts';
import { freePort } from './programs.ts';
import type { Counts } from './server.ts';

/** Starts a proxy that counts the requests to a server, which listens on `targetPort` later. */
export async function startProxy(uploads: RegExp) {
  const counts: Counts = { api: 0, files: 0 };
  let targetPort = 0;
  const server = createServer((incoming, outgoing) => {
    const { method, url: path = '', headers } = incoming;
    counts[uploads.test(path) ? 'files' : 'api'] += 1;
    const target = { host: '127.0.0.1', port: targetPort, method, path, headers };
    const forwarded = request(target, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  const { port, close } = await listen(server, { port: 0, host: '127.0.0.1' });
  targetPort = await freePort();
  return {
    url: `http://127.0.0.1:${port}`,
    targetPort,
    close,
    /** Returns the counts since the last call. */
    takeCounts(): Counts {
      const taken = { ...counts };
      Object.assign(counts, { api: 0, files: 0 });
      return taken;
    },
  };
}
