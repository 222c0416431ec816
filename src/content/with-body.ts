import { ArticlesMirrorError } from '../errors.ts';
import { bodyReaders, type RenderedContent } from './site-state.ts';

/** What of an entry is needed to find its text. */
export interface EntryToRead {
  id: string;
  collection: string;
  digest?: string | number | undefined;
  filePath?: string | undefined;
  body?: string | undefined;
  rendered?: RenderedContent | undefined;
}

/**
 * Returns the entry with its `body` and `rendered` HTML, wherever they are kept, for Astro's own
 * `render()`:
 *
 * ```ts
 * const { Content, headings } = await render(await withBody(entry));
 * ```
 *
 * With `bodies: 'store'` that is the entry as it is.
 *
 * @throws {ArticlesMirrorError} `body-missing` away from the build, where there is no mirror;
 *   `mirror-damaged` when its file is not what it was
 */
export async function withBody<E extends EntryToRead>(
  entry: E,
): Promise<E & { body: string; rendered: RenderedContent }> {
  // Astro's store leaves out a body without a character.
  const { body = '', rendered } = entry;
  if (rendered) return { ...entry, body, rendered };
  for (const read of bodyReaders(entry.collection)) {
    const found = await read(entry);
    if (found) return { ...entry, ...found };
  }
  throw new ArticlesMirrorError(
    'body-missing',
    `The text of "${entry.id}" in collection "${entry.collection}" is not at hand.`,
    {
      path: entry.filePath ?? '',
      hint:
        'With `bodies: "mirror"` texts can be read while the site is built, and in `astro dev`. Pages ' +
        'that are rendered on demand need `bodies: "store"`, or `liveArticlesLoader` of astro-articles/live.',
    },
  );
}
