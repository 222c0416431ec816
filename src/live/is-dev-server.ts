/**
 * Returns whether Vite serves this module, as in `astro dev`. It is alone in its file, because Astro replaces this
 * expression with the values of all variables that the file names (https://github.com/withastro/astro/pull/2861).
 */
export function isDevServer(): boolean {
  try {
    return (import.meta as unknown as { env: { DEV: boolean } }).env.DEV;
  } catch {
    // Without Vite, there is no `env`.
    return false;
  }
}
