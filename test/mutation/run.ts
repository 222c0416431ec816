import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node';
import { hash } from '../../src/shared/hash.ts';
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

const places = [
  ...[
    'sync/*',
    'client/listing/*',
    'mirror/*',
    'redirects/*',
    'content/{entries,store,load-collection}',
  ],
  ...['policy', 'attributes', 'walk-html', 'elements', 'inline-style'].map(
    (name) => `render/${name}`,
  ),
];
/** Paths, each with a line or without one. */
const given = positionals.length > 0 ? positionals : places.map((name) => `src/${name}.ts`);
const folders = ['sync', 'client', 'mirror', 'redirects', 'content', 'render'];
const tests = [
  ...folders.map((folder) => `test/unit/${folder}/*.test.ts`),
  'test/unit/errors.test.ts',
  'test/load/*.test.ts',
  'test/load/faults/*.test.ts',
];
const unknown = tests.filter((test) => globSync(test).length === 0);
if (unknown.length > 0) throw new Error(`There are no tests ${unknown.join(', ')}.`);
/** The duration of the tests of each round, and how long they may try one mutant, in ms. */
const rounds = ['0 150 2000', '150 500 5000', '500 3000 6000'];

const all = given.flatMap((path) => {
  const [pattern = '', onlyLine] = path.split(':');
  return globSync(pattern).flatMap((file) =>
    mutate(readFileSync(file, 'utf8'), { file })
      .mutants.filter(({ line }) => onlyLine === undefined || line === Number(onlyLine))
      .map((mutant) => ({ ...mutant, file, rank: hash(`${values.seed} ${mutant.id}`) })),
  );
});
const sample = all.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, Number(values.count));
const killed = new Set<string>();
const reached = new Set<string>();
const print = (line: string) => process.stdout.write(`${line}\n`);

/** Runs the tests that are likely to notice a change first. */
class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      tests.findIndex((test) => moduleId.includes(test.replace('*.test.ts', '')));
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}

/** Runs tests with the mutants that are alive, and returns their results. */
async function run(
  include: string[],
  { env, bail }: { env: Record<string, string>; bail: number },
) {
  const wanted = new Set(sample.map(({ id }) => id).filter((id) => !killed.has(id)));
  const vitest = await createVitest(
    'test',
    {
      ...{ config: false, watch: false, reporters: [], silent: true, include, env, bail },
      ...{ isolate: false, maxWorkers: 1, sequence: { sequencer: Sequencer } },
      ...{ testTimeout: 20_000, dangerouslyIgnoreUnhandledErrors: true },
      // It would keep modules with the mutants of an earlier run.
      fsModuleCache: false,
      runner: './test/mutation/runner.ts',
    },
    {
      plugins: [
        {
          name: 'mutants',
          enforce: 'pre',
          transform(code, path) {
            const file = path.replace(`${process.cwd()}/`, '');
            if (!sample.some((each) => each.file === file)) return undefined;
            return mutate(code, { file, wanted }).code;
          },
        },
      ],
    },
  );
  await vitest.start();
  const results = vitest.state
    .getTestModules()
    .flatMap((module) => [...module.children.allTests()]);
  await vitest.close();
  return results;
}

for (const time of rounds) {
  // Fewer runs of a property are enough for most mutants.
  for (const test of await run(tests, { env: { MUTANT_TIME: time, TEST_SCALE: '0.3' }, bail: 0 })) {
    for (const id of test.meta().killed ?? []) killed.add(id);
    for (const id of test.meta().tried ?? []) reached.add(id);
  }
  print(
    `${sample.length - killed.size} of ${sample.length} changes go unnoticed after round ${time}`,
  );
}
// A change that takes effect during an import needs a run of its own.
for (const { id, file, isStatic } of sample) {
  if (!isStatic || killed.has(id)) continue;
  const unit = tests.filter((test) => test.startsWith(`test/unit/${file.split('/')[1]}/`));
  const results = await run(unit, { env: { MUTANT: id }, bail: 1 });
  reached.add(id);
  if (results.some((test) => test.result().state === 'failed')) killed.add(id);
}
for (const { id, file, line, change } of sample.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
  if (killed.has(id)) continue;
  print(`${file}:${line} ${change}${reached.has(id) ? '' : ' (not reached)'}`);
}
const score = ((100 * killed.size) / sample.length).toFixed(1);
print(
  `The tests notice ${killed.size} of ${sample.length} changes (${score} %), of ${all.length} possible ones`,
);
process.exit();
