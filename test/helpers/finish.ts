import { type RenderSettings, renderArticle } from '../../src/render/render-article.ts';
import { nameDropped } from './name-dropped.ts';

type Settings = Partial<Omit<RenderSettings, 'render'>> & { title?: string; slugs?: string[] };

/** Finishes HTML as the output of a site's Markdown processor for an article, or with `format: 'html'` as its content. */
export async function finish(
  html: string,
  { title = 'T', slugs = [], ...settings }: Settings = {},
) {
  const headings = slugs.map((slug) => ({ depth: 2, slug, text: slug }));
  const {
    html: parts,
    dropped,
    ...rest
  } = await renderArticle(
    { id: '1', title, content: settings.format === 'html' ? html : '<b>x</b>' },
    {
      base: new URL('https://app.example.com/'),
      sanitize: true,
      ...settings,
      render: async () => ({ html, metadata: { headings } }),
    },
  );
  return { ...rest, dropped: dropped.map(nameDropped), html: parts.join('') };
}
