import type { Article } from './articles.ts';

/** The languages that this magazine prints beside English, by the letters they are written in. */
const languages = {
  ar: /\p{Script=Arabic}/gu,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu,
  ru: /\p{Script=Cyrillic}/gu,
};

/**
 * The service does not say what language an article is in, so most of its letters do. `undefined`
 * is the language of the page.
 */
export function languageOf({ data }: Article): string | undefined {
  const text = `${data.title} ${data.description}`;
  const share = (letters: RegExp) =>
    (text.match(letters) ?? []).length / (text.match(/\p{L}/gu) ?? ['']).length;
  return Object.entries(languages).find(([, letters]) => share(letters) > 0.5)?.[0];
}
