import { parseArgs } from 'node:util';
import { startService } from '../../fixtures/service.ts';
import { hash } from '../../src/shared/hash.ts';
import { drawTrace } from './life.ts';
import { type Coverage, replay, tellShortest } from './replay.ts';

// npm run model -- --seed 1 --count 1000              traces 1 to 1000
// npm run model -- --of TEXT --count 1000 --minutes 2 as many, which the text decides, in two minutes at most
// It replays traces of the model through real loads. It ends with the first one that differs, shortened.
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    of: { type: 'string' },
    count: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '600' },
  },
});
const read = (text: string) => {
  if (!/^\d+$/.test(text)) throw new TypeError(`${JSON.stringify(text)} is not a whole number`);
  return Number(text);
};

const { of: text } = values;
const first = text === undefined ? read(values.seed) : Number.parseInt(hash(text).slice(0, 7), 16);
const [count, limit] = [read(values.count), read(values.minutes) * 60_000];
const started = performance.now();
const service = await startService({ articles: [] });
const coverage: Coverage = { states: new Set(), transitions: new Set(), loads: 0 };
let done = 0;
while (done < count && performance.now() - started < limit) {
  const seed = first + done;
  const trace = drawTrace(seed);
  if (await replay(service, trace, coverage)) {
    console.log(`Trace ${seed} differs: ${await tellShortest(service, trace)}`);
    console.log(`Run it again with: npm run model -- --seed ${seed}`);
    process.exit(1);
  }
  done += 1;
}
await service.close();
const seconds = ((performance.now() - started) / 1000).toFixed(0);
const { states, transitions, loads } = coverage;
console.log(
  `${done} traces from ${first} on without a difference in ${seconds} s: ${loads} loads, ` +
    `${states.size} states, ${transitions.size} pairs of a state and an action`,
);
