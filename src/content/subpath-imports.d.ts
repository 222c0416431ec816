/** One of two modules, which `imports` in package.json names. */
declare module '#astro-config' {
  import type { PageSettings } from '../shared/page-values.ts';

  export const base: string | undefined;
  export const build: PageSettings['build'] | undefined;
  export const trailingSlash: PageSettings['trailingSlash'] | undefined;
}
