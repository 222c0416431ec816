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
      customCss: ['./src/theme.css'],
      social: [{ icon: 'github', label: 'GitHub', href: repository }],
      editLink: { baseUrl: `${repository}/edit/main/docs/` },
      sidebar: [
        {
          label: 'Start',
          items: [
            'start',
            'contents',
            'start/folder',
            'start/service',
            'start/summaries',
            'start/from-glob',
            'start/translate',
            'start/feed',
          ],
        },
        {
          label: 'Guides',
          items: [
            'guides/covers',
            'guides/body-images',
            'guides/embeds',
            'guides/lists',
            'guides/tags',
            'guides/article-page',
            'guides/preview-pictures',
            'guides/latest',
            'guides/search',
            'guides/scheduled',
            'guides/feed',
            'guides/sitemap',
            'guides/drafts-and-preview',
            'guides/preview-links',
            'guides/fields',
            'guides/languages',
            'guides/local-files',
            'guides/starlight',
            'guides/addresses',
            'guides/live-pages',
            'guides/thousands',
            'guides/beyond-one-machine',
            'guides/incremental-builds',
            'guides/offline',
            'guides/proxies',
          ],
        },
        {
          label: 'Hosts',
          items: [
            'hosts/netlify',
            'hosts/vercel',
            'hosts/cloudflare',
            'hosts/github-pages',
            'hosts/docker',
          ],
        },
        {
          label: 'Reference',
          items: [
            'reference/options',
            'reference/service',
            'reference/entry',
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
          items: [
            'works-with',
            'security',
            'architecture',
            'benchmarks',
            'comparison',
            'upgrading',
            'faq',
          ],
        },
      ],
    }),
  ],
});
