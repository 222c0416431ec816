// Quotes are whole, and nothing ends a declaration, begins a block or hides a name.
const plainValue = /^(?:[^"'\\{}@<>]|"[^"\\<>{}]*"|'[^'\\<>{}]*')*$/;
const loads = /(?:url|src|image|image-set|cross-fade|element|paint|expression|attr)\s*\(|\/\*/;
const computes = /\b(?:calc|var|min|max|clamp|env|anchor|anchor-size|sibling-index)\s*\(/;
const offsets = /^(?:top|right|bottom|left|inset)$/;
const sizes =
  /^(?:(?:min-)?(?:width|height)|flex|flex-basis|font|font-size|line-height|(?:letter|word)-spacing|text-indent|(?:margin|padding)(?:-.+)?|(?:column-|row-)?gap|columns|column-width|grid.*|vertical-align)$/;
const lengths = /(?<![\w#.-])([+-]?(?:\d+\.?\d*|\.\d+))(%|[a-z]*)/g;
/** The longest that a length may be: more than articles need, but not larger than a page. */
const longest: Record<string, number> = {
  '%': 100,
  px: 2000,
  pt: 1500,
  em: 100,
  ex: 200,
  rem: 100,
  ch: 200,
};
const unlimited = new Set(['', 'fr', 'deg']);

/**
 * Keeps the declarations of a `style` attribute that set one of the properties, load nothing, and do not
 * move the element out of the article or over what is around it.
 *
 * @param inRelative whether an element around it is `position: relative` by a style that was kept
 */
export function safeStyle(style: string, properties: RegExp, inRelative: boolean): string {
  const given = style.split(';').flatMap(declarationOf);
  const isAbsolute = given.some(
    ({ property, value }) => property === 'position' && value === 'absolute',
  );
  const isPositioned = given.some(({ property }) => property === 'position');
  const kept = given.filter(({ property, value }) => {
    if (!properties.test(property) || !plainValue.test(value) || loads.test(value)) return false;
    if (property === 'position') {
      return value === 'static' || value === 'relative' || (inRelative && value === 'absolute');
    }
    if (property.startsWith('overflow')) return value !== 'visible';
    if (!offsets.test(property)) return !sizes.test(property) || isModest(property, value);
    return value.split(/\s+/).every((part) => isNear(part, isAbsolute, isPositioned));
  });
  return kept.length === given.length ? style : kept.map(({ text }) => text).join(';');
}

/** Whether a kept style makes an element the one that `position: absolute` inside it refers to. */
export function isPositioned(style: string): boolean {
  return /(?:^|;)\s*position\s*:/i.test(style);
}

interface Declaration {
  text: string;
  property: string;
  value: string;
}

/** Parses a declaration; empty text is none. */
function declarationOf(part: string): Declaration[] {
  const text = part.trim();
  if (text === '') return [];
  const colon = Math.max(0, text.indexOf(':'));
  const value = text
    .slice(colon + 1)
    .replace(/!\s*important$/i, '')
    .trim()
    .toLowerCase();
  return [{ text, property: text.slice(0, colon).trim().toLowerCase(), value }];
}

/** An absolute element stays inside the one around it; formulas move their parts a little. */
function isNear(part: string, isAbsolute: boolean, isPositioned: boolean): boolean {
  const [whole, digits = '', unit = ''] = /^([+-]?[\d.]+)(em|ex|%|px)?$/.exec(part) ?? [];
  const number = Number(digits);
  if (whole === undefined || Number.isNaN(number)) return part === 'auto';
  if (number === 0) return true;
  if (isAbsolute) return unit === '%' && number > 0 && number <= 100;
  return (unit === 'em' || unit === 'ex') && Math.abs(number) <= (isPositioned ? 1 : 100);
}

/** Whether all lengths of a value are known and modest. Margins of formulas are slightly negative. */
function isModest(property: string, value: string): boolean {
  if (computes.test(value)) return false;
  const isAside = /^margin(?:-left|-right)?$/.test(property);
  const least = property === 'vertical-align' ? -100 : isAside ? -2 : 0;
  for (const [, digits = '', unit = ''] of value.matchAll(lengths)) {
    const number = Number(digits);
    const isSmall = unlimited.has(unit) || number <= (longest[unit] ?? -1);
    if (!isSmall || (number < 0 && (unit !== 'em' || number < least))) return false;
  }
  return true;
}
