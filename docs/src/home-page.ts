/** A page of the site. */
export interface Page {
  id: string;
  /** Its front matter, as Starlight defines it. */
  data: Record<string, unknown>;
  /** Its Markdown, without the title. */
  body: string;
}

/**
 * Makes the home page: the first sentence and the picture of the README, then the commands, the code of the quick start
 * that shows an article, the first pages to read, and the reasons.
 */
export function homePage(texts: { readme: string; contents: string }, base: string): Page {
  const [, tagline = ''] = texts.readme.split('\n\n', 2);
  const [reasons = ''] = /^- \*\*[\s\S]*?\n(?=\n)/m.exec(texts.readme) ?? [];
  const { commands, pages } = startOf(texts.contents);
  const code = ['src/content.config.ts', 'src/pages/articles/[slug].astro'].map((file) =>
    blockOf(texts.readme, file),
  );
  const path = base.replace(/\/$/, '');
  const picture = (theme: 'dark' | 'light') => {
    const other = theme === 'dark' ? 'light' : 'dark';
    const alt = 'The playground: the home page of a magazine, and an article with code on a phone';
    return `<img class="${other}:sl-hidden" src="${path}/images/playground-${theme}.webp" alt="${alt}" width="1468" height="762">`;
  };
  return {
    id: 'index',
    data: {
      title: 'astro-articles',
      description: tagline,
      template: 'splash',
      hero: {
        tagline,
        actions: [
          { text: 'Get started', link: `${path}/start/`, icon: 'right-arrow' },
          { text: 'Try it', link: `${path}/start/template/`, variant: 'secondary' },
        ],
      },
    },
    body: `${commands}\n<div class="picture">${picture('dark')}${picture('light')}</div>\n\n## What you write\n\n${code.join('\n\n')}\n\n## First pages\n${pages}\n[All pages](README.md)\n\n## Why\n\n${reasons}`,
  };
}

/** Makes the page for wrong URLs, which lists the first pages to read. */
export function missingPage(contents: string): Page {
  return {
    id: '404',
    data: {
      title: 'Page not found',
      description: 'This page does not exist.',
      template: 'splash',
      pagefind: false,
      editUrl: false,
    },
    body: `The URL may be misspelt, or the page has another name now. Search for it, choose one of [all pages](README.md), or one of these:\n${startOf(contents).pages}`,
  };
}

/** Returns the code block that shows a file. */
function blockOf(markdown: string, file: string): string {
  const blocks = markdown.match(/^```\w[\s\S]*?^```$/gm) ?? [];
  return blocks.find((block) => block.split('\n').slice(0, 3).includes(`// ${file}`)) ?? '';
}

/** Returns the two parts of the section *Start* of the list of all pages. */
function startOf(contents: string): { commands: string; pages: string } {
  const [, commands = '', pages = ''] =
    /^## Start\n(\n```[\s\S]*?^```\n)([\s\S]*?)(?=^## )/m.exec(contents) ?? [];
  return { commands, pages };
}
