import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LoaderContext } from 'astro/loaders';
import { hash } from '../shared/hash.ts';
import { readLockFiles, readModules } from './module-files.ts';

const metaKey = 'schema';
const configNames = ['mjs', 'js', 'mts', 'ts'].map((kind) => `content.config.${kind}`);

/** The state of the files that define a collection's schema. */
export interface SchemaState {
  /** Whether they are those of the last load. False when some of them are unknown. */
  isSame: boolean;
  /** Records them in Astro's store, after a load. */
  record(): void;
}

/**
 * Compares the content config, the local files that it names and the lock file with those of the last load. Astro
 * itself compares only the text of the content config.
 */
export async function readSchemaState({
  config,
  meta,
}: Pick<LoaderContext, 'config' | 'meta'>): Promise<SchemaState> {
  const paths = configNames.map((name) => fileURLToPath(new URL(name, config.srcDir)));
  const { texts, isComplete } = await readModules(paths.filter((path) => existsSync(path)));
  const locks = await readLockFiles(fileURLToPath(config.root));
  const current = isComplete ? hash([...texts, ...locks].map(hash).join(' ')) : undefined;
  return {
    isSame: current !== undefined && meta.get(metaKey) === current,
    record() {
      if (current) meta.set(metaKey, current);
      else meta.delete(metaKey);
    },
  };
}
