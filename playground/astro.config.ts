import sitemap from '@astrojs/sitemap';
import { defineConfig } from 'astro/config';
import articles from 'astro-articles';
import { actions } from './actions.ts';
import { fixtureService } from './fixture-service.ts';
import { pagefind } from './pagefind.ts';

// In a site of your own, `articles()` takes the URL and the key from the environment.
const { options, proxy } = await fixtureService();

// The port of `npm start`, because canonical links, the feed and the sitemap contain the URL of the site.
const port = Number(process.env.PORT || 4321);

export default defineConfig({
  site: `http://localhost:${port}`,
  server: { port },
  trailingSlash: 'always',
  integrations: [
    articles({ ...options, images: { body: 'local' } }),
    sitemap(),
    pagefind(),
    actions(),
  ],
  experimental: { incrementalBuild: true },
  markdown: {
    // The colours of both themes become custom properties, used in src/styles/article.css.
    shikiConfig: {
      themes: { light: 'github-light', dark: 'github-dark' },
      defaultColor: false,
      // Words after fences in the article about fences, which are not names of languages.
      langAlias: {
        brainwave: 'plaintext',
        'rust,ignore': 'rust',
        'js{2-3}': 'javascript',
        '{.python}': 'python',
      },
    },
  },
  vite: { server: { proxy } },
});
