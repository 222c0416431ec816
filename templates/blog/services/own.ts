import type { ArticlesIntegrationOptions } from 'astro-articles';

/** Options for a service of your own. The first load prints those that suit it. */
export const service: ArticlesIntegrationOptions = {};
