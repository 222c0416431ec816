import { type ChildProcess, fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { unified } from '@astrojs/markdown-remark';
import { satteri } from '@astrojs/markdown-satteri';
import fc from 'fast-check';
import { renderMarkdown } from '../src/live/live-markdown.ts';
import { type Bounds, buildBounds, exceededLimit, liveBounds } from '../src/render/bounds.ts';
import { renderWith } from '../src/render/markdown-settings.ts';
import { type RenderSettings, renderArticle } from '../src/render/render-article.ts';
import { documentOf, type Recipe, recipes } from '../test/helpers/costly-documents.ts';

// node bench/costly.ts --seed 1 --minutes 5
// Searches for the articles that take the most processor time of those that are accepted, and prints the worst.
// It fails only if one ends the process, or takes more than ten times as long as it should.

interface Processor {
  bounds: Bounds;
  render: RenderSettings['render'];
  /** The seconds that the largest accepted article should take at most. */
  seconds: number;
}

const processors: Record<string, Processor> = {
  Sätteri: {
    bounds: { ...buildBounds, processor: 'satteri' },
    render: renderWith({ processor: satteri() }),
    seconds: 3,
  },
  'unified()': { bounds: buildBounds, render: renderWith({ processor: unified() }), seconds: 7 },
  'live pages': { bounds: liveBounds, render: renderMarkdown, seconds: 2 },
};

const largest = 2 * 1024 * 1024;

/** Makes the largest document of a recipe that is accepted. */
function largestOf(recipe: Recipe, bounds: Bounds): string {
  let accepted = 0;
  let refused = largest;
  const documentOfSize = (size: number) => documentOf({ ...recipe, size });
  if (!exceededLimit(documentOfSize(largest), bounds)) return documentOfSize(largest);
  while (refused - accepted > 500) {
    const size = Math.floor((accepted + refused) / 2);
    if (exceededLimit(documentOfSize(size), bounds)) refused = size;
    else accepted = size;
  }
  return documentOfSize(accepted);
}

/** A process of its own, so that a document that ends it or takes too long does not end the search. */
async function work(name: string): Promise<void> {
  const processor = processorOf(name);
  const { bounds, render } = processor;
  const settings = { render, bounds, base: new URL('https://a.example/'), sanitize: true };
  const renderText = (content: string) =>
    renderArticle({ id: '1', title: 'T', content }, settings).catch(() => undefined);
  await renderText('# a\n\n> b\n\n```js\nc\n```\n');
  process.on('message', async (recipe: Recipe) => {
    const content = largestOf(recipe, bounds);
    const before = process.cpuUsage();
    await renderText(content);
    const { user, system } = process.cpuUsage(before);
    const result: Result = { seconds: (user + system) / 1e6, size: content.length };
    process.send?.(result);
  });
  process.send?.('ready');
}

interface Result {
  seconds: number;
  /** The characters of the document. */
  size: number;
}

function processorOf(name: string): Processor {
  const processor = processors[name];
  if (!processor) throw new TypeError(`No processor ${name}`);
  return processor;
}

/** Waits for a message of a process; undefined when it ends or is ended. */
function messageOf(child: ChildProcess, limit: number): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const timer = setTimeout(() => child.kill('SIGKILL'), limit);
  const end = () => resolve(undefined);
  child.once('message', resolve).once('exit', end);
  return promise.finally(() => {
    clearTimeout(timer);
    child.off('message', resolve).off('exit', end);
  });
}

/** Tries documents until a time, and prints the worst. Returns whether one was far too slow. */
async function search(name: string, seed: number, end: number): Promise<boolean> {
  const { seconds: expected } = processorOf(name);
  const found: { recipe: Recipe; seconds: number; size: number }[] = [];
  let child: ChildProcess | undefined;
  let tried = 0;
  while (Date.now() < end) {
    if (!child?.connected) {
      child = fork(import.meta.filename, ['--work', name], {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      await messageOf(child, 60_000);
    }
    const [recipe] = fc.sample(recipes(largest), { seed: seed + tried, numRuns: 1 });
    if (!recipe) break;
    tried += 1;
    child.send(recipe);
    const limit = 20 * expected;
    const result = (await messageOf(child, limit * 1000)) as Result | undefined;
    found.push({ recipe, ...(result ?? { seconds: limit, size: 0 }) });
  }
  child?.kill('SIGKILL');
  found.sort((one, other) => other.seconds - one.seconds);
  process.stdout.write(`${name}: ${tried} documents, ${expected} s expected at most\n`);
  for (const { recipe, seconds, size } of found.slice(0, 5)) {
    const { start, parts, joint, order } = recipe;
    const text = JSON.stringify({ start: start.slice(0, 40), parts, joint, order });
    const time = size === 0 ? 'ended' : `${seconds.toFixed(1)} s`;
    process.stdout.write(`  ${time} of processor time, ${size} characters: ${text}\n`);
  }
  return found.some(({ seconds }) => seconds > 10 * expected);
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '5' },
    work: { type: 'string' },
  },
});

if (values.work) await work(values.work);
else {
  const names = Object.keys(processors);
  const share = (Number(values.minutes) * 60_000) / names.length;
  let isTooSlow = false;
  for (const name of names) {
    isTooSlow = (await search(name, Number(values.seed), Date.now() + share)) || isTooSlow;
  }
  if (isTooSlow) process.exitCode = 1;
}
