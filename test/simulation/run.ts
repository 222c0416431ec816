import { parseArgs } from 'node:util';
import { hash } from '../../src/shared/hash.ts';
import { failedSeeds } from './failed-seeds.ts';
import { runSeed, type Tally } from './simulate.ts';

// npm run simulate -- --seed 554             one seed
// npm run simulate -- --seed 1 --count 1000  seeds from 1 on
// npm run simulate -- --seed 1 --builds 60   a story of 60 builds
// npm run simulate -- --of TEXT --minutes 4  the seeds that once failed, and new ones that the text decides
// It ends with the first seed that fails, and prints its story.
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: '1' },
    of: { type: 'string' },
    minutes: { type: 'string' },
    builds: { type: 'string' },
  },
});
const read = (text = '') => {
  if (!/^\d+$/.test(text)) throw new TypeError(`${JSON.stringify(text)} is not a whole number`);
  return Number(text);
};

const isNew = values.of !== undefined;
const first = isNew ? Number.parseInt(hash(values.of ?? '').slice(0, 7), 16) : read(values.seed);
const count = isNew ? Number.POSITIVE_INFINITY : read(values.count);
const limit = isNew ? read(values.minutes) * 60_000 : Number.POSITIVE_INFINITY;
const builds = values.builds === undefined ? undefined : read(values.builds);
const started = performance.now();
const tally: Tally = {};

async function run(seed: number): Promise<void> {
  const failure = await runSeed(seed, tally, builds);
  if (!failure) return;
  process.stdout.write(`${failure}\n`);
  process.exit(1);
}

if (isNew) for (const seed of failedSeeds) await run(seed);
let done = 0;
while (done < count && performance.now() - started < limit) {
  await run(first + done);
  done += 1;
}
const seconds = ((performance.now() - started) / 1000).toFixed(0);
const events = Object.entries(tally).sort(([, a], [, b]) => b - a);
process.stdout.write(
  `${done} seeds from ${first} on without a failure in ${seconds} s\n` +
    events.map(([event, times]) => `${String(times).padStart(8)} ${event}\n`).join(''),
);
