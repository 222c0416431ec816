import type { Page } from './pages-loader.ts';

/**
 * Makes the home page of the README: its first sentence, picture and reasons on the first screen, and the quick
 * start on the second.
 */
export function homePage(readme: string, base: string): Omit<Page, 'id'> {
  const [tagline = ''] = readme.split('\n\n', 1);
  const [reasons = ''] = /^- \*\*[\s\S]*?\n(?=\n)/m.exec(readme) ?? [];
  const [quickStart = ''] = /^## Quick start\n[\s\S]*?(?=^## )/m.exec(readme) ?? [];
  const path = base.replace(/\/$/, '');
  const picture = (theme: 'dark' | 'light') => {
    const other = theme === 'dark' ? 'light' : 'dark';
    const alt = 'The playground: the home page of a magazine, and an article with code on a phone';
    return `<img class="${other}:sl-hidden" src="${path}/images/playground-${theme}.webp" alt="${alt}" width="1200" height="760">`;
  };
  return {
    data: {
      title: 'astro-articles',
      description: tagline,
      template: 'splash',
      hero: {
        tagline,
        image: { html: picture('dark') + picture('light') },
        actions: [
          { text: 'Get started', link: `${path}/start/`, icon: 'right-arrow' },
          { text: 'Try it', link: `${path}/start/#quick-start`, variant: 'secondary' },
        ],
      },
    },
    body: `## Why\n\n${reasons}\n${quickStart}`,
  };
}
