import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoaderContext } from 'astro/loaders';
import { ArticlesError, ArticlesInvalidError, articleNotice } from '../errors.ts';
import type { AstroCollection } from '../load/astro-collection.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { parseWithNulls, reasonOfSchema } from './parse-data.ts';
import { checkParsed } from './schema.ts';
import { fingerprintKey } from './store.ts';

/**
 * Returns what a load needs of Astro.
 *
 * @param imageFolder the folder of the mirror's images
 * @param fingerprint if it is equal in the last load, unchanged entries are not parsed again, except in `astro dev`, where a
 *   schema may be edited at any time
 */
export function astroCollection(
  { collection, config, meta, parseData, store, watcher }: LoaderContext,
  options: ResolvedOptions,
  imageFolder: string,
  fingerprint: string,
): AstroCollection {
  const isDev = watcher !== undefined;
  const root = fileURLToPath(config.root);
  // As if entries were Markdown files, because other integrations read `filePath`, and Astro resolves images relative to it.
  const srcFolder = withSlashes(relative(root, fileURLToPath(config.srcDir)));
  const folder = posix.join(srcFolder, 'content', collection);
  return {
    folder,
    imageFolder: withSlashes(relative(join(root, folder), imageFolder)),
    isDev,
    isSameSchema: !isDev && meta.get(fingerprintKey) === fingerprint,
    stored: store.get,
    all: store.values,
    async parse(unparsed) {
      const { id, articleId, data, extra } = unparsed;
      const parse = (tried: Record<string, unknown>) => parseData({ id, data: tried });
      const parsed = await parseWithNulls(parse, data, extra).catch((error) => {
        // Such as a schema that is missing.
        if (ArticlesError.is(error)) throw error;
        const reason = reasonOfSchema(error, `${collection} → ${id}`, data, extra);
        throw new ArticlesInvalidError([articleNotice(articleId, reason)]);
      });
      checkParsed(parsed, unparsed, collection, options);
      return parsed;
    },
  };
}

function withSlashes(path: string): string {
  return path.split(sep).join('/');
}
