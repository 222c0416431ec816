/// <reference types="astro/client" />
// Vite resolves `#astro-config` to this module, because Astro adds the condition `astro`. Node, which loads astro.config,
// resolves it to `no-astro-config`.

export { base, build, trailingSlash } from 'astro:config/client';
