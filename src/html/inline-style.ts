import { wordSet } from './kept-names.ts';

/** Functions that compute a value, and load nothing. */
const computing = wordSet(`
  calc clamp color color-mix conic-gradient fit-content hsl hsla hwb lab lch light-dark linear-gradient max min minmax
  oklab oklch radial-gradient repeat repeating-conic-gradient repeating-linear-gradient repeating-radial-gradient rgb
  rgba var`);
/** The maximum length of a `style` attribute. Longer ones, such as hundreds of shadows, can hang a browser tab. */
const maxStyleLength = 2000;
const maxValueLength = 250;

/** Returns the declarations of a `style` attribute, without the blanks around them. */
export function declarationsOf(style: string): string[] {
  return style.split(';').flatMap((part) => part.trim() || []);
}

/** Keeps the declarations of a `style` attribute that set one of the properties, and load and position nothing. */
export function safeStyle(style: string, properties: RegExp): string {
  if (style.length > maxStyleLength) return '';
  const all = declarationsOf(style);
  const kept = all.filter((part) => isSafe(part, properties));
  return kept.length === all.length ? style : kept.join(';');
}

function isSafe(declaration: string, properties: RegExp): boolean {
  const [, name = '', value = ''] = /^([^:]*):(.*)$/s.exec(declaration.toLowerCase()) ?? [];
  if (value.length > maxValueLength) return false;
  const property = name.trim();
  // Strings are closed, and nothing begins a comment or a block, or escapes a character. Thousands of named lines of a
  // grid hang a browser tab, and so do wavy lines that are very thick.
  const plain = value.replace(/"[^"\\<>{}]*"|'[^'\\<>{}]*'/g, '');
  if (!properties.test(property) || /["'\\{}@<>[]|\/\*|wavy/.test(plain)) return false;
  if (property === 'position')
    return /^\s*(?:static|relative)\s*(?:!\s*important\s*)?$/.test(value);
  return plain.split('(').slice(0, -1).every(isComputed);
}

/** Returns whether the name of a function is at the end of a text, or none, as in `calc((1em))`. */
function isComputed(text: string): boolean {
  const name = text
    .trimEnd()
    .split(/[^\w-]/)
    .at(-1);
  return !name || computing.has(name);
}
