/** In characters. Shorter keys, and their encoded forms, are parts of other texts. */
export const minKeyLength = 8;

/**
 * Returns the source of a regular expression for a key of ASCII characters, each as it is or escaped for JSON,
 * JavaScript, a URL or HTML.
 */
export function keyPattern(key: string): string {
  return Array.from(key, characterPattern).join('');
}

/**
 * Returns the forms in which no character of a key is readable: base64, hex, and an escape for each character. A
 * short key has none.
 */
export function encodedForms(key: string): string[] {
  if (key.length < minKeyLength) return [];
  const cases = [hex, (character: string) => hex(character).toUpperCase()];
  const escapes = cases.flatMap((code) =>
    ['', '\\u00', '\\\\u00', '\\x', '\\\\x', '%', '&#x'].map((start) =>
      key.replace(/./g, (character) => start + code(character) + (start === '&#x' ? ';' : '')),
    ),
  );
  const decimal = key.replace(/./g, (character) => `&#${character.charCodeAt(0)};`);
  return [...escapes, decimal, ...[0, 1, 2].flatMap((offset) => base64Forms(key, offset))];
}

const entities: Record<string, string> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

function characterPattern(character: string): string {
  const code = hex(character).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const names = [`#${character.charCodeAt(0)}`, `#x${code}`, entities[character] ?? []].flat();
  return `(?:\\\\{0,3}(?:\\x${hex(character)}|u00${code}|x${code})|%${code}|&(?:${names.join('|')});)`;
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}

/**
 * Returns the base64 characters that depend on the key alone, when it starts `offset` bytes into a group of
 * three.
 */
function base64Forms(key: string, offset: number): string[] {
  const text = btoa('\0'.repeat(offset) + key);
  const bits = (bytes: number) => (bytes * 8) / 6;
  const form = text.slice(Math.ceil(bits(offset)), Math.floor(bits(offset + key.length)));
  return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
}
