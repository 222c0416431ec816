import {
  buildCacheControlDirectives,
  collectInvalidationTags,
  pathTag,
  setConditionalHeaders,
} from 'astro/cache/provider-utils';

type CacheOptions = Parameters<typeof buildCacheControlDirectives>[0];
type InvalidateOptions = Parameters<typeof collectInvalidationTags>[0];

/** Makes a cache provider for a host whose headers begin with its name. */
function providerOf(
  host: string,
  directives: string[],
  purgeTags: (tags: string[]) => Promise<unknown>,
) {
  return () => ({
    name: host.toLowerCase(),

    setHeaders(options: CacheOptions, { url }: Request): Headers {
      const tags = [...(options.tags ?? []), pathTag(new URL(url).pathname)];
      const headers = new Headers({ [`${host}-Cache-Tag`]: tags.join(',') });
      const control = buildCacheControlDirectives(options, directives);
      if (control) headers.set(`${host}-CDN-Cache-Control`, control);
      setConditionalHeaders(headers, options);
      return headers;
    },

    async invalidate(options: InvalidateOptions): Promise<void> {
      const tags = collectInvalidationTags(options);
      if (tags.length > 0) await purgeTags(tags);
    },
  });
}

/** Does what the provider of `@astrojs/netlify` 8.2.6 does. The adapter would add 568 packages. */
export const netlify = providerOf('Netlify', ['public', 'durable'], async (tags) => {
  // @ts-expect-error The host provides it.
  const { purgeCache } = await import('@netlify/functions');
  return purgeCache({ tags });
});

/** Does what the provider of `@astrojs/vercel` 11.0.11 does. The adapter would add 65 packages. */
export const vercel = providerOf('Vercel', ['public'], async (tags) => {
  // @ts-expect-error The host provides it.
  const { invalidateByTag } = await import('@vercel/functions');
  return Promise.all(tags.map((tag) => invalidateByTag(tag)));
});
