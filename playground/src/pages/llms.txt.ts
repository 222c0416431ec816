import type { APIRoute } from 'astro';
import { markdownAddressOf, newestFirst } from '../articles.ts';
import { motto, name } from '../magazine.ts';

/** Lists the Markdown of all articles for language models, as https://llmstxt.org describes. */
export const GET: APIRoute = async ({ site }) => {
  const articles = await newestFirst();
  const lines = articles.map((article) => {
    const { title, description } = article.data;
    const address = new URL(markdownAddressOf(article), site);
    return `- [${plain(title)}](${address}): ${plain(description)}`;
  });
  return new Response(`# ${name}\n\n> ${motto}\n\n## Articles\n\n${lines.join('\n')}\n`);
};

/** Writes a text of an article so that it stays one line of the list, and its words no link. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\[\]]/g, '\\$&');
}
