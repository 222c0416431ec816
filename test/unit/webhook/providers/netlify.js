import {
  buildCacheControlDirectives,
  collectInvalidationTags,
  pathTag,
  setConditionalHeaders
} from "astro/cache/provider-utils";
const factory = () => {
  return {
    name: "netlify",
    setHeaders(options, request) {
      const headers = new Headers();
      const directives = buildCacheControlDirectives(options, ["public", "durable"]);
      if (directives) {
        headers.set("Netlify-CDN-Cache-Control", directives);
      }
      const tags = [...options.tags ?? []];
      const { pathname } = new URL(request.url);
      tags.push(pathTag(pathname));
      headers.set("Netlify-Cache-Tag", tags.join(","));
      setConditionalHeaders(headers, options);
      return headers;
    },
    async invalidate(options) {
      const { purgeCache } = await import("@netlify/functions");
      const tags = collectInvalidationTags(options);
      if (tags.length > 0) {
        await purgeCache({ tags });
      }
    }
  };
};
var provider_default = factory;
export {
  provider_default as default
};
