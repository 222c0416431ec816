import { getCollection } from 'astro:content';
import type { APIRoute } from 'astro';
import { sidebar } from '../sidebar.ts';

/** An index of the documentation for language models (https://llmstxt.org), in the order of the sidebar. */
export const GET: APIRoute = async ({ site }) => {
  const pages = new Map((await getCollection('docs')).map((page) => [page.id, page]));
  const lineOf = (id: string) => {
    const { title, description } = pages.get(id)?.data ?? {};
    const path = `${import.meta.env.BASE_URL.replace(/\/$/, '')}/${id}.md`;
    return `- [${title}](${new URL(path, site)}): ${description}`;
  };
  const sections = sidebar.map(
    ({ label, items }) => `## ${label}\n\n${items.map(lineOf).join('\n')}`,
  );
  const summary = 'Loads the articles of a REST API into a typed Astro collection.';
  return new Response(`# astro-articles\n\n> ${summary}\n\n${sections.join('\n\n')}\n`);
};
