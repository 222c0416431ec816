import { defineConfig } from 'astro/config';
import articles from 'astro-articles';

const isDev = process.argv.includes('dev');

export default defineConfig({
  // The feed, canonical URLs and redirects need the URL of the published site.
  site: 'https://www.example.com',
  integrations: [
    articles({
      // `npm run dev` shows drafts, and looks for changes every five seconds.
      drafts: isDev ? 'include' : 'skip',
      refresh: 5_000,
    }),
  ],
  markdown: { shikiConfig: { theme: 'github-dark-high-contrast' } },
});
