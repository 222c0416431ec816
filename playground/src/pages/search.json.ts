import { addressOf, newestFirst } from '../articles.ts';
import { languageOf } from '../language.ts';
import type { Found } from '../search.ts';
import { textOf } from '../text.ts';

/** What the search page looks through, newest first. It is fetched when somebody searches. */
export async function GET(): Promise<Response> {
  const articles: Found[] = [];
  for (const article of await newestFirst()) {
    articles.push({
      title: article.data.title,
      address: addressOf(article),
      lang: languageOf(article) ?? '',
      text: await textOf(article),
    });
  }
  return Response.json(articles);
}
