import { getCollection } from 'astro:content';
import type { APIRoute, GetStaticPaths } from 'astro';

/** The Markdown of each page, for language models and for readers of plain text. */
export const getStaticPaths = (async () => {
  const pages = await getCollection('docs');
  return pages.map(({ id, data, body }) => ({
    params: { id },
    props: { text: `# ${data.title}\n\n${body}` },
  }));
}) satisfies GetStaticPaths;

export const GET: APIRoute<{ text: string }> = ({ props }) => new Response(props.text);
