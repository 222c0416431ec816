import type { KeyedEntry } from '../entry/digest.ts';
import { ArticlesMirrorError } from '../errors.ts';
import { quote } from '../messages.ts';
import { bodyReaders, type RenderedContent } from './site-state.ts';

/** The fields of an entry that `withBody()` needs. */
export interface EntryToRead extends Pick<KeyedEntry, 'id' | 'digest'> {
  /** Absent in an entry of a live collection, which has its text. */
  collection?: string | undefined;
  body?: string | undefined;
  rendered?: RenderedContent | undefined;
  /** Set where Astro renders a file itself, such as one of MDX. */
  deferredRender?: boolean | undefined;
}

/**
 * Returns the entry with its `body` and `rendered` HTML, wherever they are stored, for Astro's `render()`. A file that
 * Astro renders itself, such as one of MDX, has no `rendered`:
 *
 * ```ts
 * const { Content, headings } = await render(await withBody(entry));
 * ```
 *
 * @throws {ArticlesMirrorError} `body-missing` when no load of this process has this version of the entry, as in
 *   pages that are rendered on demand
 */
export async function withBody<E extends EntryToRead>(entry: E): Promise<E & { body: string }> {
  // Astro's store leaves out an empty body.
  const { body = '', rendered, deferredRender, collection = '' } = entry;
  if (rendered || deferredRender) return { ...entry, body };
  for (const { read } of bodyReaders(collection)) {
    const texts = await read(entry);
    if (texts) return { ...entry, ...texts };
  }
  throw new ArticlesMirrorError(
    'body-missing',
    `No load of this process has the text of ${quote(entry.id)} in collection "${collection}".`,
    {
      // In the tools of Cloudflare's adapter, a build renders pages in workerd, too.
      hint:
        'With `bodies: "mirror"`, texts can be read during the build and in `astro dev`. Add `export const prerender = true` and ' +
        "`getStaticPaths()` to the page; on Cloudflare, prerendered pages also need `cloudflare({ prerenderEnvironment: 'node' })`. " +
        'A page that is rendered on demand needs `bodies: "store"`, or `liveArticlesLoader` of astro-articles/live.',
    },
  );
}
