import { dev } from 'astro';
import { sendMeasurements } from './kept.ts';
import type { ServerReady } from './site-server.ts';

// The dev server of a site.
const { root, env }: { root: string; env: Record<string, string> } = JSON.parse(
  process.argv[2] ?? '',
);
Object.assign(process.env, env);
process.chdir(root);
const { address } = await dev({ root, server: { host: '127.0.0.1' }, logLevel: 'error' });
sendMeasurements();
process.send?.({ url: `http://127.0.0.1:${address.port}` } satisfies ServerReady);
