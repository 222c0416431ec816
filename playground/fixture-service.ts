import { loadEnvFile } from 'node:process';
import { startService } from '../fixtures/service.ts';

const port = 4380;
const apiKey = 'fixture-key-not-a-secret';

/**
 * Where `articles()` finds its service. Nothing, when ARTICLES_BASE_URL names one, in the environment
 * or in `.env`: the package reads that itself. Otherwise the fixture service, started here.
 */
export async function fixtureService(): Promise<{ baseUrl?: string; apiKey?: string }> {
  readEnvFile();
  if (process.env.ARTICLES_BASE_URL) return {};
  const here = `http://127.0.0.1:${port}`;
  // `astro dev` reads its config again when it is edited, and the service is still there.
  const baseUrl = (await isFixtureService(here)) ? here : await start();
  return { baseUrl, apiKey };
}

function readEnvFile(): void {
  try {
    loadEnvFile(new URL('.env', import.meta.url));
  } catch {
    // There need not be one.
  }
}

async function isFixtureService(baseUrl: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/api/integrations/project/articles/?limit=1`, {
    headers: { 'x-project-api-key': apiKey },
    signal: AbortSignal.timeout(1000),
  }).catch(() => undefined);
  return response?.ok ?? false;
}

async function start(): Promise<string> {
  const service = await startService({ port, apiKey }).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return startService({ apiKey });
  });
  // A build ends when it is done; a server that shows the site keeps both of them running.
  service.unref();
  return service.url;
}
