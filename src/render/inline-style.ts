// Quotes are closed, and nothing ends a declaration, begins a block or escapes a name.
const plainValue = /^(?:[^"'\\{}@<>]|"[^"\\<>{}]*"|'[^'\\<>{}]*')*$/;
const loads = /(?:url|src|image|image-set|cross-fade|element|paint|expression|attr)\s*\(|\/\*/;
const computes = /\b(?:calc|var|min|max|clamp|env|anchor|anchor-size|sibling-index)\s*\(/;
const offsets = /^(?:top|right|bottom|left|inset)$/;
// They paint outside of the box.
const paintsOutside = /^(?:border-image|text-shadow)/;
const sizes =
  /^(?:(?:min-)?(?:width|height)|flex|flex-basis|font|font-size|(?:letter|word)-spacing|text-(?:indent|decoration.*|underline-offset)|(?:margin|padding)(?:-.+)?|(?:column-|row-)?gap|columns|column-width|grid.*|vertical-align)$/;
const lengths = /(?<![\w#.-])([+-]?(?:\d+\.?\d*|\.\d+))(%|[a-z]*)/g;
type Units = Readonly<Record<string, number>>;
/** The maximum of a length, by unit: more than articles need, and less than a page. */
const longest: Units = { '%': 100, px: 2000, pt: 1500, em: 100, ex: 200, rem: 100, ch: 200 };
const largestFont: Units = { '%': 300, px: 48, pt: 36, em: 3, ex: 6, rem: 3, ch: 6 };
/** In an element with a font size of its own, so that sizes do not multiply. */
const inheritedFont: Units = { ...largestFont, '%': 100, em: 1, ex: 2 };
const highestFormula: Units = { px: 160, pt: 120, em: 10, ex: 20 };
const unlimited = new Set(['', 'fr', 'deg']);

/** The properties of the elements around an element that its own style depends on. */
export interface StyleContext {
  /** Whether an element around it is `position: relative` and has a box. */
  inRelative: boolean;
  /** Whether elements around it set or multiply the font size, to which lengths in `em` are relative. */
  inSized: boolean;
}

/**
 * Keeps the declarations of a `style` attribute that set one of the properties, load nothing, and do not
 * move the element out of the article or over what is around it.
 */
export function safeStyle(style: string, properties: RegExp, context: StyleContext): string {
  const given = style.split(';').flatMap(declarationOf);
  const position = positionOf(given);
  const isSized = contextOf(style, context).inSized;
  const kept = given.filter(({ property, value }) => {
    if (!properties.test(property) || !plainValue.test(value) || loads.test(value)) return false;
    if (paintsOutside.test(property)) return false;
    if (property === 'position') {
      return (
        /^(?:static|relative)$/.test(position) || (context.inRelative && position === 'absolute')
      );
    }
    // With less, large letters would lie over the lines around them.
    if (property === 'line-height')
      return /^(?:normal|[1-9]\d{0,2}(?:\.\d+)?|[1-9]\d\d%)$/.test(value);
    if (property === 'font' && value.includes('/')) return false;
    if (property.startsWith('overflow')) return value !== 'visible';
    if (/^font(?:-size)?$/.test(property)) {
      const longest = context.inSized ? inheritedFont : largestFont;
      return (
        !/larger/.test(value) && !computes.test(value) && areWithin(value, { least: 0, longest })
      );
    }
    if (!offsets.test(property)) return !sizes.test(property) || isModest(property, value, isSized);
    const parts = value.split(/\s+/);
    if (position === 'absolute') return parts.every(isInside);
    return !isSized && parts.every((part) => isNear(part, position === '' ? 100 : 1));
  });
  return kept.length === given.length ? style : kept.map(({ text }) => text).join(';');
}

/** Returns what the style of an element means for the elements in it. */
export function contextOf(style: string, around: StyleContext): StyleContext {
  const declarations = style.split(';').flatMap(declarationOf);
  const isBoxless = declarations.some(({ value }) => value === 'contents');
  return {
    inRelative: around.inRelative || (positionOf(declarations) === 'relative' && !isBoxless),
    inSized:
      around.inSized || declarations.some(({ property }) => /^font(?:-size)?$/.test(property)),
  };
}

/** Returns the `position` of an element; empty without one, or with several, of which the last need not win. */
function positionOf(declarations: readonly { property: string; value: string }[]): string {
  const positions = declarations.filter(({ property }) => property === 'position');
  const [first, ...others] = new Set(positions.map(({ value }) => value));
  return others.length === 0 ? (first ?? '') : '';
}

/** Parses a declaration; none for a part without text. */
function declarationOf(part: string) {
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

/** Whether an edge of an absolute element is inside the element around it. */
function isInside(part: string): boolean {
  const percent = /^([\d.]+)(?:%|px)?$/.exec(part)?.[1];
  return part === 'auto' || Number(percent) === 0 || (part.endsWith('%') && Number(percent) <= 100);
}

/** Whether an offset moves a part of a formula by at most `most` em. */
function isNear(part: string, most: number): boolean {
  const [, number] = /^(-?[\d.]+)(?:em|ex)?$/.exec(part) ?? [];
  return part === 'auto' || Math.abs(Number(number)) <= (/\d$/.test(part) ? 0 : most);
}

/** Whether all lengths of a value are known and small enough. Margins of formulas are slightly negative. */
function isModest(property: string, value: string, isSized: boolean): boolean {
  if (computes.test(value)) return false;
  if (property === 'vertical-align') return areWithin(value, { least: -100, longest });
  if (property.startsWith('text-')) return areWithin(value, { least: 0, longest: largestFont });
  const isAside = !isSized && /^margin(?:-left|-right)?$/.test(property);
  return areWithin(value, { least: isAside ? -2 : 0, longest });
}

/** Whether an attribute of MathML leaves a formula at a usual size. */
export function isModestFormula(name: string, value: string): boolean {
  if (
    !/^(?:height|depth|voffset|width|[lr]space|m(?:ath|ax|in)size|.*spacing|.*thickness)$/.test(
      name,
    )
  )
    return true;
  const isHeight = /^(?:height|depth|voffset)$/.test(name);
  // A factor of the formula's own width, such as `0.5width`, which browsers ignore.
  return areWithin(value.toLowerCase().replace(/-?(?<![\d.])[\d.]+width/, '0'), {
    least: -10,
    longest: isHeight ? highestFormula : longest,
  });
}

/** Negative lengths are in em only. */
function areWithin(value: string, { least, longest }: { least: number; longest: Units }): boolean {
  for (const [, digits = '', unit = ''] of value.matchAll(lengths)) {
    const number = Number(digits);
    const isShort = unlimited.has(unit) || number <= (longest[unit] ?? -1);
    if (!isShort || (number < 0 && (unit !== 'em' || number < least))) return false;
  }
  return true;
}
