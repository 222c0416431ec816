import type { Article } from './articles.ts';

/** The languages of this magazine other than English, with the letters of their scripts. */
const languages = {
  ar: /\p{Script=Arabic}/gu,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu,
  ru: /\p{Script=Cyrillic}/gu,
};

/**
 * Detects the language of an article by the script of most of its letters, because the service does
 * not send it.
 */
export function languageOf({ data }: Article): string {
  const text = `${data.title} ${data.description}`;
  const share = (letters: RegExp) =>
    (text.match(letters) ?? []).length / (text.match(/\p{L}/gu) ?? ['']).length;
  return Object.entries(languages).find(([, letters]) => share(letters) > 0.5)?.[0] ?? 'en';
}
