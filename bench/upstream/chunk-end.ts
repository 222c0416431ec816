// Shows that a store in chunks can be split without encoding each character by itself.
import fc from 'fast-check';

const root = import.meta.resolve('astro/package.json');
const { chunkString }: { chunkString(text: string, maxBytes: number): string[] } = await import(
  new URL('dist/content/data-store-writer.js', root).href
);

const encoder = new TextEncoder();

/** `encodeInto()` ends before the first code point that does not fit, and returns how much it has read. */
function proposed(text: string, maxBytes: number): string[] {
  const space = new Uint8Array(maxBytes);
  const chunks: string[] = [];
  for (let start = 0; start < text.length; ) {
    const { read } = encoder.encodeInto(text.slice(start, start + maxBytes + 1), space);
    // A code point that is longer than a chunk is one by itself.
    const end = start + (read || ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1));
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '語', '😀', '\ud800', '\udc00') });
fc.assert(
  fc.property(anyText, fc.integer({ min: 1, max: 9 }), (text, maxBytes) => {
    const [known, own] = [chunkString(text, maxBytes), proposed(text, maxBytes)];
    if (JSON.stringify(known) !== JSON.stringify(own))
      throw new Error(`${own} instead of ${known}`);
  }),
  { numRuns: 10_000 },
);

const million = 'Tides and moons, é. '.repeat(50_000);
for (const [name, split] of Object.entries({ chunkString, proposed })) {
  const start = performance.now();
  split(million, 256_000);
  console.log(`${name}: ${(performance.now() - start).toFixed(1)} ms for a million characters`);
}
