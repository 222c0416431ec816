import { fileURLToPath } from 'node:url';

/** The articles and covers that come with the package, for a service without a folder of its own. */
export const builtIn = {
  articles: fileURLToPath(new URL('../../../fixtures/articles/', import.meta.url)),
  media: fileURLToPath(new URL('../../../fixtures/covers/', import.meta.url)),
};
