import { loadEnvFile } from 'node:process';
import { type FixtureService, startService } from '../fixtures/service.ts';

const port = 4380;
const apiKey = 'fixture-key-not-a-secret';

/**
 * Options for `articles()`: none when ARTICLES_BASE_URL names a service, in the environment or in
 * `.env`; otherwise those of the fixture service, which is started here if it does not run yet.
 */
export async function articlesSource(): Promise<{ baseUrl?: string; apiKey?: string }> {
  readEnvFile();
  if (process.env.ARTICLES_BASE_URL) return {};
  const baseUrl = `http://127.0.0.1:${port}`;
  // Astro reads its config again when it is edited; the service goes on running.
  if (!(await isRunning(baseUrl))) (await start()).unref();
  return { baseUrl, apiKey };
}

function readEnvFile(): void {
  try {
    loadEnvFile(new URL('.env', import.meta.url));
  } catch {
    // There need not be one.
  }
}

async function isRunning(baseUrl: string): Promise<boolean> {
  const url = `${baseUrl}/api/integrations/project/articles/?limit=1`;
  const response = await fetch(url, { headers: { 'x-project-api-key': apiKey } }).catch(
    () => undefined,
  );
  return response?.ok ?? false;
}

async function start(): Promise<FixtureService> {
  return startService({ port, apiKey }).catch((error) => {
    throw new Error(`The fixture service needs port ${port}, which something else uses.`, {
      cause: error,
    });
  });
}
