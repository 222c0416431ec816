import { newestFirst } from '../articles.ts';

/** What was built, for `npm start` to print. */
export async function GET(): Promise<Response> {
  const { length } = await newestFirst();
  return Response.json({ articles: length });
}
