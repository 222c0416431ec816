import { runSeed, type Tally } from './simulate.ts';

// node test/simulation/run.ts 1 1000: runs 1,000 seeds from 1 on, until one fails. Without the second number, one seed.
const [first = '1', count = '1'] = process.argv.slice(2);
if (![first, count].every((text) => /^\d+$/.test(text))) throw new TypeError('a seed is a number');
const tally: Tally = {};
const started = performance.now();
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  const failure = await runSeed(seed, tally);
  if (!failure) continue;
  process.stdout.write(`${failure}\n`);
  process.exit(1);
}
const seconds = ((performance.now() - started) / 1000).toFixed(0);
const events = Object.entries(tally).sort(([, a], [, b]) => b - a);
process.stdout.write(
  `${count} seeds from ${first} on without a failure in ${seconds} s\n` +
    events.map(([event, times]) => `${String(times).padStart(8)} ${event}\n`).join(''),
);
