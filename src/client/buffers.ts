/** Memory to read bodies into, one after the other. */
export interface Buffers {
  /** Gives at least that many bytes, with whatever was in them before. */
  take(length: number): Uint8Array<ArrayBuffer>;
  /** Takes back what nobody reads any more. */
  give(bytes: Uint8Array<ArrayBuffer>): void;
}

/** Less comes and goes at no cost. */
const smallest = 131_072;

/**
 * Keeps the memory of large bodies for the next ones. A page of the listing may take megabytes, and what
 * an allocator was given back of such blocks it seldom gives back itself: new ones for each of a hundred
 * pages left a process 100 MB larger (glibc).
 */
export function createBuffers(): Buffers {
  const free: Uint8Array<ArrayBuffer>[] = [];
  return {
    take(length) {
      if (length < smallest) return new Uint8Array(length);
      const index = free.findIndex((bytes) => bytes.length >= length);
      const [found] = index === -1 ? [] : free.splice(index, 1);
      // With room for a page that is a little longer.
      return found ?? new Uint8Array(2 ** Math.ceil(Math.log2(length)));
    },
    give(bytes) {
      if (bytes.length >= smallest) free.push(bytes);
    },
  };
}
