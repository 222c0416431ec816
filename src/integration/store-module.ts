import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AstroConfig } from 'astro';
import { loaderName } from '../loader.ts';

type VitePlugin = NonNullable<AstroConfig['vite']['plugins']>[number];

/** The file in which Astro keeps its content store. */
export interface StoreFile {
  file: URL;
  /** Whether this Astro is known to give pages what is in there, and nothing else. */
  isKnown: boolean;
}

/** The module by which Astro gives its content store to the pages, as one literal. */
const storeModule = /^\0astro:data-layer-content$/;

/** Versions of Astro whose source we have read: unless it is told otherwise, the store is in that file. */
const knownAstro = /^(?:6\.4|7\.[0-3])\./;

/**
 * Where a build of this site has its content store when it can be read from there: all pages have to
 * be rendered by the process that builds, as they are without an adapter.
 *
 * @param astro the version of Astro that builds it
 */
export function storeFileOf(
  config: AstroConfig,
  astro = versionOfAstro(config.root),
): StoreFile | undefined {
  if (config.adapter) return undefined;
  const storage = Reflect.get(config.experimental, 'collectionStorage') ?? 'single-file';
  const isKnown = knownAstro.test(astro) && storage === 'single-file';
  return { file: new URL('data-store.json', config.cacheDir), isKnown };
}

/**
 * Lets pages read Astro's content store from its file. As a literal it goes through the bundler, which
 * makes some fourteen copies of it: more than all else that a build of thousands of articles needs.
 *
 * A known Astro is not even asked for its module, for which it would read, check and quote the whole
 * store. Any other is, and the module is replaced only if it holds exactly what is in the file: it may
 * keep its store elsewhere, and the file be an old one.
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
        if (!store?.isKnown || !existsSync(store.file)) return undefined;
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
        if (!store || store.isKnown || !existsSync(store.file)) return undefined;
        const literal = JSON.stringify(readFileSync(store.file, 'utf8'));
        return code === `export default JSON.parse(${literal})`
          ? moduleThatReads(store.file)
          : undefined;
      },
    },
  };
}

/**
 * When this module throws, Astro goes on with an empty store, and publishes a site without articles. So
 * it throws once it is used: whatever Astro asks of its store, it asks by `has` or `get`.
 */
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

/** Empty when it is not found. */
function versionOfAstro(root: URL): string {
  try {
    return createRequire(new URL('astro.config.mjs', root))('astro/package.json').version;
  } catch {
    return '';
  }
}
