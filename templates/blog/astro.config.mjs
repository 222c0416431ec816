import { defineConfig } from 'astro/config';
import articles from 'astro-articles';
import './local-service.mjs';
// Your service: also `directus`, `ghost`, `payload`, `strapi` and `wordpress` in place of `own`.
import { service } from './services/own.ts';

export default defineConfig({
  // The feed, canonical URLs and redirects need the URL of the published site.
  site: 'https://www.example.com',
  integrations: [
    articles({
      ...service,
      // `npm run dev` shows drafts, and looks for changes every two seconds.
      drafts: 'dev',
      refresh: 2_000,
      // The pictures of the texts become files of the site, too.
      images: { body: 'local' },
    }),
  ],
  markdown: {
    // The colours of both themes become custom properties, which src/styles/site.css uses.
    shikiConfig: { themes: { light: 'github-light', dark: 'github-dark' }, defaultColor: false },
  },
});
