import { watch } from 'node:fs';
import { loadEnvFile } from 'node:process';
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { readArticles } from '../fixtures/articles.ts';
import { fixtureKey as apiKey, startService } from '../fixtures/service.ts';

const port = 4380;
const folder = new URL('../fixtures/articles/', import.meta.url);

/**
 * Where `articles()` finds its service. Nothing, when ARTICLES_BASE_URL names one, in the environment
 * or in `.env`: the package reads that itself. Otherwise the fixture service, started here.
 */
export async function fixtureService(): Promise<ArticlesIntegrationOptions> {
  readEnvFile();
  if (process.env.ARTICLES_BASE_URL) return {};
  const here = `http://127.0.0.1:${port}`;
  // `astro dev` reads its config again when it is edited, and the service is still there.
  const baseUrl = (await isFixtureService(here)) ? here : await start();
  return { baseUrl, apiKey, refresh: { interval: 1_000 } };
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
  // Whoever edits a file of the fixtures sees it: in `npm run dev` within a second.
  watch(folder, () => service.replace(readable() ?? service.articles)).unref();
  // A build ends when it is done; a server that shows the site keeps both of them running.
  service.unref();
  return service.url;
}

/** The articles as their files are now; nothing while one of them is half written. */
function readable() {
  try {
    return readArticles();
  } catch {
    return undefined;
  }
}
