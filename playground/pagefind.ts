import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import { close, createIndex } from 'pagefind';

/** Writes the search index of the built pages to `/pagefind/`. */
export function pagefind(): AstroIntegration {
  return {
    name: 'pagefind',
    hooks: {
      'astro:build:done': async ({ dir, logger }) => {
        const { index, errors } = await createIndex();
        if (!index) throw new Error(errors.join('\n'));
        await index.addDirectory({ path: fileURLToPath(dir) });
        await index.writeFiles({ outputPath: fileURLToPath(new URL('pagefind/', dir)) });
        await close();
        logger.info('Wrote the search index to /pagefind/');
      },
    },
  };
}
