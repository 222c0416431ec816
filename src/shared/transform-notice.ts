const key = Symbol.for('astro-articles.transform');
/** Global, because the content config and astro.config run in two copies of this module. */
const site = globalThis as { [key]?: boolean };

/** Records whether `articles()` has a `transform`. It is called in a build and in `astro dev`. */
export function recordTransform(hasTransform: boolean): void {
  site[key] = hasTransform;
}

/** Returns true at most once, if `articles()` has a `transform`. Always false in a deployed site, which has no astro.config. */
export function takeTransform(): boolean {
  const hasTransform = site[key] ?? false;
  site[key] = false;
  return hasTransform;
}
