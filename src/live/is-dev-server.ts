/**
 * Returns whether Vite serves this module, as in `astro dev`. It has a file of its own, because in a file with this
 * expression, Astro writes the values of all variables of the environment that the file names.
 */
export function isDevServer(): boolean {
  try {
    return (import.meta as unknown as { env: { DEV: boolean } }).env.DEV;
  } catch {
    // Without Vite, there is no `env`.
    return false;
  }
}
