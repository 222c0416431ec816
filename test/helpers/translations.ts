/** The page about translations of other APIs. */
export const translations = 'docs/start/translate.md';
