// Serves the folder `articles` while neither an `.env` file nor the environment names a service or a key, and ends with Astro.
// With a service of your own, delete the folder, this file, and its line in astro.config.mjs.
import { readdirSync, readFileSync } from 'node:fs';
import { serveFolder } from 'astro-articles/serve';

// Also `.env.local`, and the file of a mode, such as `.env.production`.
const names = readdirSync('.').filter((name) => /^\.env(?:\.|$)(?!example$)/.test(name));
const lines = names.map((name) => readFileSync(name, 'utf8')).join('\n');
const { ARTICLES_BASE_URL, ARTICLES_API_KEY } = process.env;
const isNamed =
  ARTICLES_BASE_URL ||
  ARTICLES_API_KEY ||
  /^\s*(?:export\s+)?ARTICLES_(?:BASE_URL|API_KEY)\s*=/m.test(lines);

if (!isNamed) {
  const { url, apiKey, unref } = await serveFolder('articles');
  process.env.ARTICLES_BASE_URL = url;
  process.env.ARTICLES_API_KEY = apiKey;
  // A finished build does not wait for it.
  unref();
}
