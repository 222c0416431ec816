import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import { homepage, repository } from './src/manifest.ts';
import { sidebar } from './src/sidebar.ts';
import { unbrokenWords } from './src/unbroken-words.ts';

const card = new URL('images/social-card.jpg', homepage).href;

export default defineConfig({
  site: homepage.origin,
  base: homepage.pathname.replace(/\/$/, ''),
  integrations: [
    starlight({
      title: 'astro-articles',
      favicon: '/favicon.svg',
      // Code that scrolls sideways is hard to read on a phone.
      expressiveCode: { defaultProps: { wrap: true }, plugins: [unbrokenWords()] },
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
      sidebar,
    }),
  ],
});
