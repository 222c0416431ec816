export const name = 'My articles';
/** The language of the texts, and of dates. */
export const language = 'en';
export const motto = 'Notes on writing and the sea';

/** The path of the site, with which URLs of files begin: empty without `base` in astro.config.mjs. */
export const base = import.meta.env.BASE_URL.replace(/\/$/, '');
