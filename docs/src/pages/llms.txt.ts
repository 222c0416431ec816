import { getCollection } from 'astro:content';
import type { APIRoute } from 'astro';

/** An index of the documentation for language models (https://llmstxt.org). */
export const GET: APIRoute = async ({ site }) => {
  const pages = await getCollection('docs');
  const lines = pages.map(({ id, data }) => {
    const path = `${import.meta.env.BASE_URL.replace(/\/$/, '')}/${id}.md`;
    return `- [${data.title}](${new URL(path, site)}): ${data.description}`;
  });
  const summary = 'Loads the articles of a REST API into a typed Astro collection.';
  return new Response(`# astro-articles\n\n> ${summary}\n\n## Pages\n\n${lines.join('\n')}\n`);
};
