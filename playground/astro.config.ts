import { defineConfig } from 'astro/config';
import articles from 'astro-articles';
import { articlesSource } from './articles-source.ts';

export default defineConfig({
  site: 'http://localhost:4321',
  integrations: [articles(await articlesSource())],
  markdown: {
    shikiConfig: { themes: { light: 'github-light', dark: 'github-dark' }, defaultColor: false },
  },
});
