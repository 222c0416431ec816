import { realpathSync } from 'node:fs';
import { serveArticles } from './service.ts';

/** A folder that is served like an article service. */
export interface FolderService {
  /** The value for `baseUrl`, or for `ARTICLES_BASE_URL`. */
  url: string;
  /** The value for `apiKey`, or for `ARTICLES_API_KEY`. It need not be kept secret. */
  apiKey: string;
  /** The number of articles when it started. */
  count: number;
  /** Each file that is not served or cannot be used, when it started. */
  warnings: readonly string[];
  /** Lets the process end while it serves, such as a build. */
  unref(): void;
  /** Ends it, and its connections. */
  close(): Promise<void>;
}

/**
 * Serves the Markdown files of a folder like the article service, on this machine only. Changes of the files take effect
 * with the next request.
 *
 * ```ts
 * const { url, apiKey, close } = await serveFolder('articles');
 * ```
 *
 * @param folder its path, from the current folder if it is relative
 * @param options `port`: 0 selects any free port. By default 4380, or any free one if that is in use
 * @throws an error of Node with the code `ENOENT` or `ENOTDIR` for a path that is not that of a folder, or with the code of
 *   a port that cannot be used, such as `EADDRINUSE`
 */
export async function serveFolder(
  folder: string,
  { port }: { port?: number } = {},
): Promise<FolderService> {
  // Vite names modules by their paths without links, and a linked site has its packages there.
  const path = realpathSync.native(folder);
  if (port !== undefined) return serveArticles(port, path);
  return serveArticles(defaultPort, path).catch(() => serveArticles(0, path));
}

export const defaultPort = 4380;
