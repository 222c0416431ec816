import { type RenderSettings, renderArticle } from '../../src/render/render-article.ts';
import type { DroppedHtml } from '../../src/shared/dropped-html.ts';

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

/** Names a part that was dropped in a few words, so that a row of a table can expect it. */
function nameDropped({ kind, name, on, host, scheme }: DroppedHtml): string {
  switch (kind) {
    case 'frame':
      return ['iframe', ...(host === undefined ? [] : [host])].join(' ');
    case 'element':
      return `<${name}>`;
    case 'stray item':
      return `<${name}> outside of a list`;
    case 'drawing':
      return `<${name}> in a drawing`;
    case 'url':
      return `${name}${scheme ? ` with ${scheme}` : ''} on ${on}`;
    case 'text with a tag':
      return `${name} with a tag on ${on}`;
    default:
      return on === undefined ? kind : `${name} on ${on}`;
  }
}
