import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AstroConfig } from 'astro';
import { loaderName } from '../loader.ts';

type VitePlugin = NonNullable<AstroConfig['vite']['plugins']>[number];

/** Where Astro keeps its content store. */
export interface StoreFile {
  file: URL;
  /** Whether that is certain; otherwise the module that Astro makes of it has to show it. */
  certain: boolean;
}

/** The module by which Astro gives its content store to the pages, as one literal. */
const storeModule = /^\0astro:data-layer-content$/;
const literal = /^export default ?(?:JSON\.parse\("|\[)/;

/** The versions of Astro whose ways are known, from what they are made of. */
const knownAstro = /^(?:6\.4|7\.[0-3])\./;

/**
 * Where a build of this site has its content store when it can be read from there: all pages have to
 * be rendered by the process that builds, as they are without an adapter.
 *
 * @param astro the version of Astro
 */
export function storeFileOf(config: AstroConfig, astro = installedAstro()): StoreFile | undefined {
  if (config.adapter) return undefined;
  const storage = Reflect.get(config.experimental, 'collectionStorage') ?? 'single-file';
  const certain = knownAstro.test(astro) && storage === 'single-file';
  return { file: new URL('data-store.json', config.cacheDir), certain };
}

/**
 * Lets pages read Astro's content store from its file. As a literal it goes through the bundler, which
 * makes some fourteen copies of it: more than all else that a build of thousands of articles needs.
 *
 * Where the file is certain, Astro is not even asked for its module, for which it would read, check and
 * quote the whole store. A later Astro is, and the module stays as it is unless it is the one we know.
 */
export function storeFromFile(storeOf: () => StoreFile | undefined): VitePlugin {
  return {
    name: `${loaderName}:store`,
    apply: 'build',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'prerender',
    load: {
      order: 'pre',
      filter: { id: storeModule },
      handler() {
        const store = storeOf();
        if (!store?.certain || !existsSync(store.file)) return undefined;
        // As Astro's own: a change of the store does not render all pages anew in incremental builds.
        const meta = { astroIncremental: { kind: 'content-data' } };
        return { ...moduleThatReads(store.file), meta };
      },
    },
    transform: {
      order: 'pre',
      filter: { id: storeModule },
      handler(code) {
        const store = storeOf();
        if (!store || !literal.test(code) || !existsSync(store.file)) return undefined;
        return moduleThatReads(store.file);
      },
    },
  };
}

/** Astro takes a module that throws for an empty store, and would publish a site without articles. */
function moduleThatReads(file: URL) {
  const code = `
    import { readFileSync } from 'node:fs';
    let store;
    try {
      store = JSON.parse(readFileSync(new URL(${JSON.stringify(file.href)}), 'utf8'));
    } catch (cause) {
      const fail = () => {
        throw new Error('The content store could not be read, which Astro has just written: build again.', { cause });
      };
      store = Object.assign(new Map(), { has: fail, get: fail });
    }
    export default store;`;
  return { code, map: { mappings: '' } };
}

function installedAstro(): string {
  return createRequire(import.meta.url)('astro/package.json').version;
}
