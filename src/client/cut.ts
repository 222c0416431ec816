/** JSON whose lists of objects were taken out of it. */
export interface CutJson {
  /** The JSON that is left, with a list of one {@link CutList} in the place of each. */
  rest: string;
  pieces: Piece[];
}

/** Stands for a list that was taken out. A list of nothing but one object is always one of these. */
export interface CutList {
  /** Its first object in `pieces`. */
  from: number;
  /** Where the objects after it begin. */
  to: number;
}

export interface Piece {
  json: Uint8Array;
  /** How many levels were around it. */
  depth: number;
}

const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Takes the lists of objects out of JSON (all that are in no other list), without reading what they
 * hold. The JSON is valid exactly if what is left is, and each piece.
 *
 * @throws {TypeError} where what is left is no UTF-8
 */
export function cutLists(json: Uint8Array): CutJson {
  // A mark is for the beginning of a text, and nowhere else.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const rest: string[] = [];
  const pieces: Piece[] = [];
  let restFrom = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) at = closingQuote(json, at);
    else if (byte === openObject) depth += 1;
    else if (byte === closeObject) depth -= 1;
    else if (byte === openList) {
      const list = objectsIn(json, at);
      if (list) {
        const cut: CutList = { from: pieces.length, to: pieces.length + list.objects.length };
        rest.push(decoder.decode(json.subarray(restFrom, at)), JSON.stringify([cut]));
        for (const object of list.objects) pieces.push({ json: object, depth: depth + 1 });
        restFrom = list.end;
      }
      at = (list?.end ?? endOfValue(json, at)) - 1;
    }
  }
  rest.push(decoder.decode(json.subarray(restFrom)));
  return { rest: rest.join('').replace(/^\uFEFF/, ''), pieces };
}

/** The objects of a list that holds some, and nothing else. */
function objectsIn(
  json: Uint8Array,
  start: number,
): { objects: Uint8Array[]; end: number } | undefined {
  const objects: Uint8Array[] = [];
  let at = afterSpace(json, start + 1);
  while (json[at] === openObject) {
    const end = endOfValue(json, at);
    objects.push(json.subarray(at, end));
    at = afterSpace(json, end);
    if (json[at] === closeList) return { objects, end: at + 1 };
    if (json[at] !== comma) return undefined;
    at = afterSpace(json, at + 1);
  }
  return undefined;
}

/** Where an object or a list ends; the end of all when it does not. */
function endOfValue(json: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) at = closingQuote(json, at);
    else if (byte === openObject || byte === openList) depth += 1;
    else if (byte === closeObject || byte === closeList) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return json.length;
}

/** Most bytes are inside of strings, so these are not looked at one by one. */
function closingQuote(json: Uint8Array, start: number): number {
  for (let at = json.indexOf(quote, start + 1); at !== -1; at = json.indexOf(quote, at + 1)) {
    let escapes = 0;
    while (json[at - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}

function afterSpace(json: Uint8Array, start: number): number {
  let at = start;
  while (json[at] === 0x20 || json[at] === 0x0a || json[at] === 0x0d || json[at] === 0x09) at += 1;
  return at;
}
