import { withBody } from 'astro-articles';
import type { Article } from './articles.ts';

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** The text of an article, without markup and without pictures. */
export async function textOf(article: Article): Promise<string> {
  const { rendered } = await withBody(article);
  return rendered.html
    .replace(/<(style|script|svg)\b.*?<\/\1>/gs, ' ')
    .replace(/<\/?(?:a|b|code|del|em|i|kbd|mark|s|span|strong|sub|sup)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&(amp|lt|gt|quot);/g, (_, name) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}
