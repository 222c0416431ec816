/** An article as its author writes it, the same for each server. */
export interface Article {
  /** Identifies the article in these tests, also when its slug changes. */
  name: string;
  slug: string;
  title: string;
  text: string;
  description: string | null;
  tags: string[];
  date: string;
  cover: Picture | null;
  isDraft: boolean;
  /** The slug of the article that its text links to. */
  next: string;
}

/** The name of a file in `fixtures/covers`. No two of these have the same size. */
export type Picture = (typeof covers)[number] | typeof inText | typeof otherCover | typeof newFile;

const covers = ['tides.jpg', 'brackets.png', 'clouds.webp', 'snow.jpg', 'road.jpg'] as const;
/** The picture in each text. */
export const inText = 'knots.webp';
const otherCover = 'compass.jpg';
/** The cover whose file is replaced between the second and the third build, where its URL stays the same. */
export const replaced: Picture = 'snow.jpg';
/** The new file. */
export const newFile = 'search.png';

/** Is in the title and the text of each draft. */
export const secret = 'UNPUBLISHED';

/** The code block of each text. */
export const code = 'if (a < b && c > d) {\n\n  return "<b>";\n}';

const awkwardTitles = [
  '<Suspense> & "quotes"',
  "It's 5 < 6 > 4, isn't it?",
  '&amp; is an entity, and &copy; is another',
  '[A link](/x), *stars*, _lines_, `code` and # marks',
  '</title><script>alert(1)</script>',
  '{braces}, $1, $& and \\ backslashes',
  '日本語のタイトル',
  'مرحبا بالعالم',
  '🎉 Ünïcödé — “curly” … 100 %',
  'Twins',
  'Twins',
  `A long title ${'and on '.repeat(28)}until it ends`,
];

/** Slugs that WordPress percent-encodes. */
const slugs: Record<string, string> = { 'story-27': 'история-моря', 'story-28': 'قصة-البحر' };

function slugOf(name: string): string {
  return slugs[name] ?? name;
}

/** The tags of each third article. */
const tagSets = [[], ['Q & A'], ['C', 'C#', 'C++']] as const;

/** The articles in the order of their dates, the oldest one first. */
export const articles: readonly Article[] = Array.from({ length: 40 }, (_, index) => {
  const name = `story-${index + 1}`;
  const isDraft = index > 36;
  const day = Date.UTC(2025, 0, 1, 8) + index * 86_400_000;
  return {
    name,
    slug: slugOf(name),
    title: isDraft
      ? `${secret} ${name}`
      : (awkwardTitles[index - 20] ?? `Story number ${index + 1}`),
    text: isDraft ? `${secret} text` : `The text of ${name}.`,
    description: index % 2 ? `A summary of ${name}.` : null,
    tags: [...(tagSets[index % tagSets.length] ?? [])],
    // Three articles have the same date.
    date: new Date(index > 32 && index < 36 ? Date.UTC(2025, 1, 3, 8) : day).toISOString(),
    cover: index % 8 === 7 ? null : (covers[index % covers.length] ?? null),
    isDraft,
    // Links lead to none of the first seven articles, which change.
    next: slugOf(`story-${8 + ((index + 1) % 28)}`),
  };
});

/** The articles that have a German version, as it is. */
export const germanArticles: readonly Article[] = articles.slice(7, 11).map((article) => ({
  ...article,
  title: `Deutsch: ${article.title}`,
  text: `Der Text von ${article.name}.`,
}));

/** What happens to the articles between the second and the third build. */
export const changes: Record<string, Partial<Article> | 'deleted'> = {
  'story-1': { text: 'An edited text.' },
  'story-2': { isDraft: true, title: `${secret} again` },
  'story-3': 'deleted',
  'story-4': { slug: 'renamed-story' },
  'story-5': { cover: otherCover },
  'story-6': { title: '<Edited> & "changed"' },
  'story-7': { cover: null },
  'story-38': { isDraft: false, title: 'No draft any more', text: 'A text for readers.' },
  'story-41': {
    name: 'story-41',
    slug: 'story-41',
    title: 'A new one',
    text: 'A new text.',
    description: null,
    tags: ['Q & A'],
    date: '2025-06-01T08:00:00.000Z',
    cover: 'tides.jpg',
    isDraft: false,
    next: 'renamed-story',
  },
};

/** Returns an article after the file of its cover was replaced. */
export function withNewFile(article: Article): Article {
  return article.cover === replaced ? { ...article, cover: newFile } : article;
}

/** Returns the article that the changes unpublish, as its author publishes it again before the fourth build. */
export function publishedAgain(): Article {
  const [, article] = articles;
  return { ...article, slug: 'returned-story' } as Article;
}

/** Returns the articles after the changes, those that have to be written, and those that have to be removed. */
export function changed(): { after: Article[]; saved: Article[]; deleted: Article[] } {
  const byName = new Map(articles.map((article) => [article.name, article]));
  const saved: Article[] = [];
  const deleted: Article[] = [];
  for (const [name, change] of Object.entries(changes)) {
    const before = byName.get(name);
    if (change !== 'deleted') {
      const article = { ...before, ...change } as Article;
      byName.set(name, article);
      saved.push(article);
    } else if (before) {
      byName.delete(name);
      deleted.push(before);
    }
  }
  return { after: [...byName.values()], saved, deleted };
}

/** The URLs that a text uses. */
interface Links {
  picture: string;
  document: string;
  next: string;
}

export function toMarkdown({ text }: Article, { picture, document, next }: Links): string {
  return `${text}

## A heading

- One with *emphasis*
- [The next article](${next})
- [A document](${document})

![A picture](${picture})

\`\`\`js
${code}
\`\`\`
`;
}

/** Writes the blocks of WordPress's editor. */
export function toBlocks(
  { text }: Article,
  { picture, document, next }: Links,
  pictureId: number,
): string {
  return `<!-- wp:paragraph -->
<p>${text}</p>
<!-- /wp:paragraph -->

<!-- wp:heading -->
<h2>A heading</h2>
<!-- /wp:heading -->

<!-- wp:list -->
<ul><!-- wp:list-item -->
<li>One with <em>emphasis</em></li>
<!-- /wp:list-item -->

<!-- wp:list-item -->
<li><a href="${next}">The next article</a></li>
<!-- /wp:list-item -->

<!-- wp:list-item -->
<li><a href="${document}">A document</a></li>
<!-- /wp:list-item --></ul>
<!-- /wp:list -->

<!-- wp:image {"id":${pictureId},"sizeSlug":"full"} -->
<figure class="wp-block-image size-full"><img src="${picture}" alt="A picture" class="wp-image-${pictureId}"/></figure>
<!-- /wp:image -->

<!-- wp:code -->
<pre class="wp-block-code"><code>${escapeHtml(code)}</code></pre>
<!-- /wp:code -->`;
}

/** Writes HTML without an editor's own markup. */
export function toHtml({ text }: Article, { picture, document, next }: Links): string {
  return `<p>${text}</p>
<h2>A heading</h2>
<ul><li>One with <em>emphasis</em></li><li><a href="${next}">The next article</a></li><li><a href="${document}">A document</a></li></ul>
<img src="${picture}" alt="A picture">
<pre><code class="language-js">${escapeHtml(code)}</code></pre>`;
}

/** Writes text as HTML, as editors save it. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
