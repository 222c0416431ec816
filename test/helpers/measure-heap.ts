import { setTimeout } from 'node:timers/promises';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { loadSite } from './load-site.ts';

// Loads a site in a process of its own, which can collect garbage (`--expose-gc`). Prints how many bytes of the heap, and of
// buffers outside of it, the load needed at most, and how many it has left.
//
//     node --expose-gc test/helpers/measure-heap.ts FOLDER OPTIONS-AS-JSON

const [root = '', given = ''] = process.argv.slice(2);
const options: ArticlesOptions = JSON.parse(given);
const collectGarbage = (globalThis as unknown as { gc: () => void }).gc;

/** Collects garbage, and returns the bytes that are in use. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// Modules and grammars do not count: a load of a few articles loads them first.
await loadSite({ root: `${root}/few`, inMemory: true }, { ...options, newest: 5 });
await setTimeout(100);
const before = usedBytes();
let peak = 0;
let rendered = 0;
const { entries, failure } = await loadSite(
  {
    root,
    inMemory: true,
    adapt: (context) => ({
      ...context,
      renderMarkdown(...args) {
        rendered += 1;
        if (rendered % 50 === 0) peak = Math.max(peak, usedBytes());
        return context.renderMarkdown(...args);
      },
    }),
  },
  options,
);
if (failure) throw failure;
peak = Math.max(peak, usedBytes());
// The last responses are freed by a timer.
await setTimeout(100);
usedBytes();
await setTimeout(100);
const left = usedBytes();
const result = { entries: entries.size, peak: peak - before, left: left - before };
process.stdout.write(JSON.stringify(result));
