import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node';
import { createRandom } from '../simulation/steps.ts';
import { mutate } from './mutants.ts';

// node test/mutation/run.ts: changes the code at one place at a time, and prints the changes that no test notices.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '300' },
  },
});
process.chdir(fileURLToPath(new URL('../..', import.meta.url)));

const applied = ['policy', 'attributes', 'walk-html', 'elements', 'inline-style'];
const places = [
  'sync/*',
  'client/listing/*',
  'redirects/*',
  ...applied.map((name) => `render/${name}`),
];
const patterns = positionals.length > 0 ? positionals : places.map((name) => `src/${name}.ts`);
const loads = [
  ...[
    'absence',
    'addresses',
    'astro-images',
    'bodies',
    'changes',
    'edit-urls',
    'last-good-version',
  ],
  ...['newest', 'one-article', 'promises', 'several-collections', 'summaries', 'transform'],
  ...['faults/listing', 'faults/loader', 'faults/responses'],
];
const tests = [
  ...['sync', 'client', 'redirects', 'render'].map((folder) => `test/unit/${folder}/*.test.ts`),
  ...loads.map((name) => `test/load/${name}.test.ts`),
];

const all = globSync(patterns).flatMap((file) =>
  mutate(readFileSync(file, 'utf8'), { file }).mutants.map((mutant) => ({ ...mutant, file })),
);
const random = createRandom(Number(values.seed));
const sample = all
  .map((mutant) => ({ mutant, rank: random() }))
  .sort((a, b) => a.rank - b.rank)
  .slice(0, Number(values.count))
  .map(({ mutant }) => mutant);
let wanted = new Set(sample.map(({ id }) => id));

/** Runs the fast tests first. */
class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      tests.findIndex((test) => moduleId.includes(test.replace('*.test.ts', '')));
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}

/** Runs the tests. With `on`, this mutant is on from the start, and the first failure ends the run. */
async function runTests({ on, time }: { on?: string; time?: string }) {
  const vitest = await createVitest(
    'test',
    {
      ...{
        config: false,
        watch: false,
        include: on
          ? tests.filter((test) => test.startsWith(on.replace(/^src(.\w+.).*/, 'test/unit$1')))
          : tests,
      },
      ...{
        isolate: false,
        maxWorkers: 1,
        fsModuleCache: false,
        reporters: process.env.DEBUG_REPORTER ? ['default'] : [],
        bail: on ? 1 : 0,
      },
      ...{ testTimeout: 20_000, dangerouslyIgnoreUnhandledErrors: true },
      sequence: { sequencer: Sequencer },
      runner: './test/mutation/runner.ts',
      env: { TEST_SCALE: '0.3', ...(on && { MUTANT: on }), ...(time && { MUTANT_TIME: time }) },
    },
    {
      plugins: [
        {
          name: 'mutants',
          enforce: 'pre',
          transform(code, path) {
            const file = path.replace(`${process.cwd()}/`, '');
            return wanted.size > 0 && sample.some((each) => each.file === file)
              ? mutate(code, { file, wanted }).code
              : undefined;
          },
        },
      ],
    },
  );
  await vitest.start(process.env.ONLY?.split(','));
  const results = vitest.state
    .getTestModules()
    .flatMap((module) => [...module.children.allTests()]);
  await vitest.close();
  return results;
}

const killed = new Set<string>();
const tried = new Set<string>();
// Most mutants are killed by fast tests.
for (const time of ['0 150 2000', '150 3000 6000']) {
  for (const test of await runTests({ time })) {
    const { killed: dead = [], tried: ran = [] } = test.meta();
    for (const id of dead) killed.add(id);
    for (const id of ran) tried.add(id);
  }
  wanted = new Set(sample.map(({ id }) => id).filter((id) => !killed.has(id)));
  console.log(`${wanted.size} of ${sample.length} are alive after tests of ${time} ms`);
}
for (const { id, isStatic } of sample) {
  if (!isStatic || killed.has(id)) continue;
  wanted = new Set([id]);
  const results = await runTests({ on: id });
  if (results.some((test) => test.result().state === 'failed')) killed.add(id);
}
for (const { id, file, line, change } of sample.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
  if (killed.has(id)) continue;
  console.log(`${file}:${line} ${change}${tried.has(id) ? '' : ' (no test reaches it)'}`);
}
if (process.env.DEBUG_REPORTER) console.log([...killed].slice(0, 5), [...wanted]);
const score = ((100 * killed.size) / sample.length).toFixed(1);
console.log(`${killed.size} of ${sample.length} mutants killed (${score} %), of ${all.length}`);
process.exit();
