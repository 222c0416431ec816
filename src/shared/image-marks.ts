import { quote } from '../errors.ts';

/**
 * If a string of an entry's `data` begins with this prefix, Astro imports the file whose path follows it (`astro/dist/content/mutable-data-store.js`, Astro 6 and 7).
 */
const mark = '__ASTRO_IMAGE_';
/** WORD JOINER: invisible, and kept by `String.prototype.trim()`. */
const guard = '\u2060';

/**
 * Puts an invisible character before each string in a value that Astro would import as an image, so that the
 * text of an article stays text. Nested objects and lists are changed in place.
 *
 * @param image the path that stays marked, of a file that the mirror wrote
 * @throws when such a string cannot be changed
 */
export function escapeImageMarks<T>(value: T, image?: string | null): T;
export function escapeImageMarks(value: unknown, image?: string | null): unknown {
  const seen = new Set<object>();
  const withGuard = (inner: unknown): unknown => {
    if (typeof inner === 'string') {
      return inner.startsWith(mark) && inner !== `${mark}${image}` ? guard + inner : inner;
    }
    if (typeof inner !== 'object' || inner === null || seen.has(inner)) return inner;
    seen.add(inner);
    for (const [key, child] of Object.entries(inner)) {
      const escaped = withGuard(child);
      // The object may be frozen, as a schema with `.readonly()` makes it.
      if (escaped !== child && !Reflect.set(inner, key, escaped)) {
        throw new TypeError(
          `the field ${quote(key)} begins with a mark of Astro, which cannot be escaped because the field is read-only`,
        );
      }
    }
    return inner;
  };
  return withGuard(value);
}
