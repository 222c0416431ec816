import sitemap from '@astrojs/sitemap';
import { defineConfig } from 'astro/config';
import articles from 'astro-articles';
import { fixtureService } from './fixture-service.ts';

export default defineConfig({
  site: 'http://localhost:4321',
  integrations: [
    // With a service of your own its address and key are in the environment, and not here.
    articles({ ...(await fixtureService()), images: { body: 'local' } }),
    sitemap(),
  ],
  experimental: { incrementalBuild: true },
  markdown: {
    // The colours of both themes become custom properties: src/styles/article.css chooses.
    shikiConfig: { themes: { light: 'github-light', dark: 'github-dark' }, defaultColor: false },
  },
});
