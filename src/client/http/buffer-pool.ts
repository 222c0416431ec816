/** Memory to read bodies into, one after the other. */
export interface Buffers {
  /** Gives at least that many bytes, with whatever was in them before. */
  take(length: number): Uint8Array<ArrayBuffer>;
  /** Takes back what nobody reads any more. */
  give(bytes: Uint8Array<ArrayBuffer>): void;
}

/** Less comes and goes at no cost. */
const smallest = 131_072;
/** As many as pages are read at once. */
const most = 4;

/**
 * Keeps the memory of large bodies for the next ones, the largest first. A page of the listing may take
 * megabytes, and a process seldom shrinks when such blocks are freed: new ones for each of a hundred
 * pages left it 100 MB larger (glibc).
 */
export function createBuffers(): Buffers {
  const free: Uint8Array<ArrayBuffer>[] = [];
  return {
    take(length) {
      if (length < smallest) return new Uint8Array(length);
      const [largest] = free;
      if (largest && largest.length >= length) {
        free.shift();
        return largest;
      }
      // With room for a page that is a little longer.
      return new Uint8Array(2 ** Math.ceil(Math.log2(length)));
    },
    give(bytes) {
      if (bytes.length < smallest) return;
      free.push(bytes);
      free.sort((a, b) => b.length - a.length).splice(most);
    },
  };
}
