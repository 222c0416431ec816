import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';

const repository = 'https://github.com/OWNER/astro-articles';

export default defineConfig({
  site: 'https://OWNER.github.io',
  base: '/astro-articles',
  integrations: [
    starlight({
      title: 'astro-articles',
      social: [{ icon: 'github', label: 'GitHub', href: repository }],
      editLink: { baseUrl: `${repository}/edit/main/docs/` },
      sidebar: [
        { label: 'Start', items: ['index', 'start'] },
        {
          label: 'Guides',
          items: [
            'guides/covers',
            'guides/body-images',
            'guides/lists',
            'guides/feed',
            'guides/drafts-and-preview',
            'guides/fields',
            'guides/addresses',
            'guides/live-pages',
            'guides/thousands',
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
