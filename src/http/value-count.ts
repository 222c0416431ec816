const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
/** `[` and `{`, which differ in one bit. */
const opening = 0x5b;
const bitOfBraces = 0x20;

/**
 * Returns whether JSON has more than some number of values and keys, without parsing it: outside of texts, each comma
 * precedes another value, each colon follows a key, and each list or object may have a first value. An empty one counts as
 * two.
 */
export function hasMoreValues(json: Uint8Array, max: number): boolean {
  let values = 1;
  for (let at = 0; at < json.length && values <= max; at++) {
    const byte = json[at] ?? 0;
    if (byte === quote) at = endOfText(json, at);
    else if (byte === comma || byte === colon || (byte & ~bitOfBraces) === opening) values += 1;
  }
  return values > max;
}

/** Returns the place of the quote that ends a text, or that of the last byte. */
function endOfText(json: Uint8Array, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end !== -1; end = json.indexOf(quote, end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
