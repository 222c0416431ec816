/** JSON whose lists of objects were taken out of it. */
export interface CutJson {
  /** The JSON that is left, with a list of one {@link CutMark} in the place of each. */
  rest: Uint8Array;
  lists: CutList[];
}

/** Names a list that was taken out. A list of nothing but one object is always one of these. */
export interface CutMark {
  list: number;
}

export interface CutList {
  /** Where each of its objects begins and ends. Numbers, since a view takes more than a short object. */
  bounds: number[];
  /** How many levels are around each of them. */
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
 * hold. The JSON is valid exactly if what is left is, and each object.
 */
export function cutLists(json: Uint8Array): CutJson {
  const encoder = new TextEncoder();
  const rest: Uint8Array[] = [];
  const lists: CutList[] = [];
  let restFrom = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) at = closingQuote(json, at);
    else if (byte === openObject) depth += 1;
    else if (byte === closeObject) depth -= 1;
    else if (byte === openList) {
      const objects = objectsIn(json, at);
      const end = objects?.end ?? endOfValue(json, at);
      if (objects) {
        const mark: CutMark = { list: lists.length };
        rest.push(json.subarray(restFrom, at), encoder.encode(JSON.stringify([mark])));
        lists.push({ bounds: objects.bounds, depth: depth + 1 });
        restFrom = end;
      }
      at = end - 1;
    }
  }
  rest.push(json.subarray(restFrom));
  return { rest: joined(rest), lists };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}

/** The objects of a list that holds some, and nothing else. */
function objectsIn(json: Uint8Array, start: number): { bounds: number[]; end: number } | undefined {
  const bounds: number[] = [];
  let at = afterSpace(json, start + 1);
  while (json[at] === openObject) {
    const end = endOfValue(json, at);
    bounds.push(at, end);
    at = afterSpace(json, end);
    if (json[at] === closeList) return { bounds, end: at + 1 };
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
