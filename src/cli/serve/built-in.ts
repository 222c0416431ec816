import { fileURLToPath } from 'node:url';

/** The folder of the articles and covers that are served without a folder of one's own. */
export const builtInFolder = fileURLToPath(new URL('../../../fixtures/examples/', import.meta.url));
