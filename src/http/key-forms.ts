/** In characters. Shorter keys, and their base64 forms, are parts of other texts. */
export const minKeyLength = 8;

/**
 * Returns the source of a regular expression for a key of ASCII characters, each as it is or escaped for JSON,
 * JavaScript, a URL or HTML.
 */
export function keyPattern(key: string): string {
  return Array.from(key, characterPattern).join('');
}

/**
 * Returns the base64 forms of a key, also within longer text: for each of the three positions at which it may start in
 * a group of three bytes. A short key has none.
 */
export function base64Forms(key: string): string[] {
  if (key.length < minKeyLength) return [];
  return [0, 1, 2].flatMap((offset) => {
    const text = btoa('\0'.repeat(offset) + key);
    const bits = (bytes: number) => (bytes * 8) / 6;
    // These characters depend on the key alone.
    const form = text.slice(Math.ceil(bits(offset)), Math.floor(bits(offset + key.length)));
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
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
