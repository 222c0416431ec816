import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import { homepage, repository } from './src/manifest.ts';

const card = new URL('images/social-card.jpg', homepage).href;

export default defineConfig({
  site: homepage.origin,
  base: homepage.pathname.replace(/\/$/, ''),
  integrations: [
    starlight({
      title: 'astro-articles',
      favicon: '/favicon.svg',
      // Code that scrolls sideways is hard to read on a phone.
      expressiveCode: { defaultProps: { wrap: true } },
      head: [
        { tag: 'meta', attrs: { property: 'og:image', content: card } },
        {
          tag: 'meta',
          attrs: { property: 'og:image:alt', content: 'The home page of a magazine' },
        },
        { tag: 'meta', attrs: { name: 'twitter:image', content: card } },
      ],
      components: { MarkdownContent: './src/components/MarkdownContent.astro' },
      customCss: ['./src/theme.css'],
      social: [{ icon: 'github', label: 'GitHub', href: repository }],
      editLink: { baseUrl: `${repository}/edit/main/docs/` },
      sidebar: [
        { label: 'Start', items: ['start', 'start/template', 'start/service', 'start/folder'] },
        {
          label: 'Basics',
          items: [
            'guides/covers',
            'guides/lists',
            'guides/fields',
            'guides/drafts-and-preview',
            'guides/publish',
            'troubleshooting',
          ],
        },
        {
          label: 'Pages',
          items: [
            'guides/article-page',
            'guides/embeds',
            'guides/body-images',
            'guides/feed',
            'guides/languages',
            'guides/relations',
            'guides/starlight',
          ],
        },
        {
          label: 'Services',
          items: ['start/translate', 'start/from-glob', 'guides/addresses', 'guides/offline'],
        },
        {
          label: 'Many articles',
          items: [
            'guides/thousands',
            'guides/beyond-one-machine',
            'guides/live-pages',
            'guides/incremental-builds',
            'guides/preview-links',
          ],
        },
        {
          label: 'Reference',
          items: [
            'reference/options',
            'reference/service',
            'reference/components',
            'reference/live',
            'reference/webhook',
            'reference/client',
            'reference/command-line',
            'errors',
          ],
        },
        {
          label: 'Background',
          items: ['architecture', 'security', 'benchmarks', 'comparison', 'contents'],
        },
      ],
    }),
  ],
});
