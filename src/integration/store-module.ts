import { existsSync } from 'node:fs';
import type { AstroConfig } from 'astro';
import { loaderName } from '../loader.ts';

type VitePlugin = NonNullable<AstroConfig['vite']['plugins']>[number];

/** The module by which Astro gives its content store to the pages, as one literal. */
const storeModule = /^\0astro:data-layer-content$/;
const literal = /^export default ?(?:JSON\.parse\("|\[)/;

/**
 * Lets pages that are rendered during the build read Astro's content store from its file. As a literal it
 * goes through the bundler, which makes some fourteen copies of it: more than all else that a build of
 * thousands of articles needs. What is not the module that Astro 6 and 7 make stays as it is.
 *
 * @param fileOf the file, when all pages are rendered in this process, as they are without an adapter
 */
export function storeFromFile(fileOf: () => URL | undefined): VitePlugin {
  return {
    name: `${loaderName}:store`,
    apply: 'build',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'prerender',
    transform: {
      order: 'pre',
      filter: { id: storeModule },
      handler(code) {
        const file = fileOf();
        if (!file || !existsSync(file) || !literal.test(code)) return undefined;
        return {
          code:
            `import { readFileSync } from 'node:fs';\n` +
            `export default JSON.parse(readFileSync(new URL(${JSON.stringify(file.href)}), 'utf8'));`,
          map: { mappings: '' },
        };
      },
    },
  };
}
