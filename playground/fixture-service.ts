import { watch } from 'node:fs';
import { loadEnvFile } from 'node:process';
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { readArticles } from '../fixtures/articles.ts';
import { fixtureKey as apiKey, type FixtureService, startService } from '../fixtures/service.ts';
import { scenes } from './src/service.ts';

const port = 4380;
const folder = new URL('../fixtures/articles', import.meta.url);

interface Service {
  /** The options that `articles()` needs for the service. */
  options: ArticlesIntegrationOptions;
  /** The paths that Vite passes on to the service, so that a browser can open its JSON. */
  proxy: Record<string, { target: string; headers: Record<string, string> }>;
}

/**
 * Starts the fixture service, unless ARTICLES_BASE_URL in the environment or in `.env` names another
 * one. In that case there are no options, because the package reads the environment itself.
 */
export async function fixtureService(): Promise<Service> {
  readEnvFile();
  if (process.env.ARTICLES_BASE_URL) return { options: {}, proxy: {} };
  const local = `http://127.0.0.1:${port}`;
  // `astro dev` loads its config again after a change, while the service is still running.
  const { service } = scenes();
  const running = service?.url ?? ((await isFixtureService(local)) ? local : undefined);
  const baseUrl = running ?? (await startFixtureService()).url;
  return {
    options: { baseUrl, apiKey, refresh: 1_000 },
    // A link cannot send the key, so the proxy adds it.
    proxy: { '/api/': { target: baseUrl, headers: { 'x-project-api-key': apiKey } } },
  };
}

/** Reads the environment of the playground. */
export function readEnvFile(): void {
  try {
    loadEnvFile(new URL('.env', import.meta.url));
  } catch {
    // The file is optional.
  }
}

async function isFixtureService(baseUrl: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/api/integrations/project/articles/?limit=1`, {
    headers: { 'x-project-api-key': apiKey },
    signal: AbortSignal.timeout(1000),
  }).catch(() => undefined);
  return response?.ok ?? false;
}

/** Starts the fixture service, and lets the pages see its requests. */
export async function startFixtureService(): Promise<FixtureService> {
  const service = await startService({ port, apiKey }).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return startService({ apiKey });
  });
  // With `npm run dev`, an edited file of the fixtures is visible within a second.
  watch(folder, () => service.replace(readable() ?? service.articles)).unref();
  // The service must not keep a finished build running.
  service.unref();
  scenes().service = service;
  return service;
}

/** Reads the article files, or returns `undefined` while one of them is partly written. */
function readable() {
  try {
    return readArticles();
  } catch {
    return undefined;
  }
}
