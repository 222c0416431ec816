import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import { close, createIndex } from 'pagefind';

/** Writes the search index of the built pages to `/pagefind/`. */
export function pagefind(): AstroIntegration {
  return {
    name: 'pagefind',
    hooks: {
      'astro:build:done': async ({ dir, logger }) => {
        const { index } = await createIndex();
        if (!index) throw new Error('Pagefind could not start.');
        const { page_count } = await index.addDirectory({ path: fileURLToPath(dir) });
        await index.writeFiles({ outputPath: fileURLToPath(new URL('pagefind/', dir)) });
        await close();
        logger.info(`${page_count} pages indexed`);
      },
    },
  };
}
