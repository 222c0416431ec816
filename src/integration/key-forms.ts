/** Returns the encodings in which a file may contain a key: escaped, URL-encoded or in base64. */
export function keyForms(key: string): Buffer[] {
  const json = JSON.stringify(key).slice(1, -1);
  const encoded = encodeURIComponent(key);
  const forms = [
    key,
    encoded,
    encoded.replace(/%../g, (code) => code.toLowerCase()),
    json,
    json.replaceAll('/', '\\/'),
    ...escapes.flatMap((code) => [
      key.replace(/["'&<>]/g, code),
      key.replace(/["'&<>/=`+]/g, code),
      json.replace(/[&<>]/g, code),
    ]),
    // Some tools write every character of a text as an HTML entity.
    key.replace(/./g, decimalEntity),
    key.replace(/./g, hexEntity),
    ...[0, 1, 2].flatMap((offset) => base64Forms(key, offset)),
  ];
  return [...new Set(forms)].map((form) => Buffer.from(form));
}

const names = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

const namedEntity = (character: string) => names.get(character) ?? decimalEntity(character);
const decimalEntity = (character: string) => `&#${character.charCodeAt(0)};`;
const hexEntity = (character: string) => `&#x${hex(character)};`;

/** The escape sequences of HTML and JavaScript. */
const escapes = [
  namedEntity,
  decimalEntity,
  hexEntity,
  (character: string) => `&#x${hex(character).toUpperCase()};`,
  (character: string) => `\\u00${hex(character)}`,
  (character: string) => `\\u00${hex(character).toUpperCase()}`,
  (character: string) => `\\x${hex(character)}`,
  (character: string) => `\\x${hex(character).toUpperCase()}`,
];

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}

/**
 * Returns the base64 characters that depend on the key alone, when it starts `offset` bytes into a group of
 * three.
 */
function base64Forms(key: string, offset: number): string[] {
  const text = Buffer.from('\0'.repeat(offset) + key).toString('base64');
  const bits = (bytes: number) => (bytes * 8) / 6;
  const form = text.slice(Math.ceil(bits(offset)), Math.floor(bits(offset + key.length)));
  return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
}
