import { setTimeout } from 'node:timers/promises';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { loadSite } from './load-site.ts';

// Loads a site in a process of its own, which can collect garbage (`--expose-gc`). Prints the bytes of the heap, with the
// buffers outside of it, that the load had at most, and those that are left after it.

const [root = '', given = ''] = process.argv.slice(2);
const options: ArticlesOptions = JSON.parse(given);
const collectGarbage = (globalThis as unknown as { gc: () => void }).gc;

function heap(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// A load of a few articles loads the modules and grammars, which do not count.
await loadSite({ root: `${root}/few`, inMemory: true }, { ...options, newest: 5 });
await setTimeout(100);
const before = heap();
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
        if (rendered % 50 === 0) peak = Math.max(peak, heap());
        return context.renderMarkdown(...args);
      },
    }),
  },
  options,
);
if (failure) throw failure;
peak = Math.max(peak, heap());
// The last responses are freed by a timer.
await setTimeout(100);
heap();
await setTimeout(100);
const left = heap();
const result = { entries: entries.size, peak: peak - before, left: left - before };
process.stdout.write(JSON.stringify(result));
