import { withRowFields } from '../../client/article.ts';
import { ArticlesError } from '../../errors.ts';
import { digestOf } from '../../mirror/stored-article.ts';
import type { Check, Sample } from './probe.ts';

const sampleSize = 3;

export async function fetchSample({ requests, listed }: Check): Promise<Sample> {
  const { client, call } = requests;
  const sample: Sample = { articles: [], different: 0, problems: [] };
  for (const row of spread(listed, sampleSize)) {
    try {
      const article = await client.getArticle(row.id, call());
      if (article) sample.articles.push(article);
      else
        sample.problems.push(
          `${JSON.stringify(row.id)} is listed, but the service responds 404 for it`,
        );
      const isDifferent =
        article && row.article && digestOf(row.article) !== digestOf(withRowFields(article, row));
      if (isDifferent) sample.different += 1;
    } catch (error) {
      if (!ArticlesError.is(error)) throw error;
      sample.problems.push(error.message);
    }
  }
  return sample;
}

/** Picks the first value, the last one, and others at equal distances between them. */
export function spread<T>(values: readonly T[], count: number): T[] {
  const step = Math.max(1, (values.length - 1) / Math.max(1, count - 1));
  const places = Array.from({ length: count }, (_, index) => Math.round(index * step));
  return places.map((place) => values[place]).filter((value) => value !== undefined);
}
