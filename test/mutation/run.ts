import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createVitest, type TestCase } from 'vitest/node';
import { hash } from '../../src/shared/hash.ts';
import { temporaryRoot } from '../helpers/temporary-root.ts';
import { mutate } from './mutants.ts';

// node test/mutation/run.ts: changes the code at one place at a time, and prints the changes that no test notices.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    patterns: { type: 'boolean', default: false },
    count: { type: 'string', default: '300' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});
process.chdir(fileURLToPath(new URL('../..', import.meta.url)));

/** Paths, each with a line or without one. */
const given = positionals.length > 0 ? positionals : ['src/**/*.ts'];
// The first one reads the code as a text. The others need modules of their own (vitest.config.ts).
const exclude = ['linear-patterns', 'missing-sharp', 'get-articles', 'page-path'].map(
  (name) => `**/${name}.test.ts`,
);
const tests = ['test/unit/**/*.test.ts', 'test/load/**/*.test.ts'];
/** Stories of the simulated world. */
const stories = ['test/mutation/stories.test.ts'];
/** How long the tests may try one mutant, in ms of the processor, in one round after the other. */
const rounds = [
  { include: tests, limits: [1_000, 10_000] },
  { include: stories, limits: [5_000] },
];

const all = given.flatMap((path) => {
  const [pattern = '', onlyLine] = path.split(':');
  return globSync(pattern).flatMap((file) =>
    mutate(readFileSync(file, 'utf8'), { file })
      .mutants.filter(({ line }) => onlyLine === undefined || line === Number(onlyLine))
      .filter(({ isPattern }) => isPattern || !values.patterns)
      .map((mutant) => ({ ...mutant, file, rank: hash(`${values.seed} ${mutant.id}`) })),
  );
});
const sample = all.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, Number(values.count));
const killed = new Set<string>();
const reached = new Set<string>();
const tried = new Set<string>();
const print = (line: string) => process.stdout.write(`${line}\n`);

/** Runs tests with the mutants that are alive, and returns their results. */
async function run(
  include: string[],
  { env, bail }: { env: Record<string, string>; bail: number },
) {
  const wanted = new Set(sample.map(({ id }) => id).filter((id) => !killed.has(id)));
  const vitest = await createVitest(
    'test',
    {
      ...{ config: false, watch: false, reporters: [], silent: true, include, exclude, env, bail },
      ...{ isolate: false, maxWorkers: Number(values.workers) },
      setupFiles: ['test/helpers/steady-date.ts', 'test/helpers/steady-draws.ts'],
      ...{ testTimeout: 60_000, hookTimeout: 60_000, dangerouslyIgnoreUnhandledErrors: true },
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
  const modules = vitest.state.getTestModules();
  const broken = modules.find((module) => module.errors().length > 0);
  // A change that takes effect during an import may break it.
  if (broken && !env.MUTANT) print(`${broken.moduleId} cannot run: ${broken.errors()[0]?.message}`);
  const results = modules.flatMap((module) => [...module.children.allTests()]);
  await vitest.close();
  return results;
}

/**
 * Returns the tests that try each mutant, by their id: of each file that reaches its place, first the shortest test, then
 * the second one, and so on. Tests of one file have much in common.
 */
function planOf(results: readonly TestCase[], limit: number): Record<string, string[]> {
  const files = Map.groupBy(results, ({ module }) => module.moduleId);
  const durationOf = (test: TestCase) => test.meta().duration ?? 0;
  const plan = new Map<string, string[]>();
  for (const { id } of sample.filter((each) => !killed.has(each.id))) {
    const reaching = [...files.values()].flatMap((ofFile) =>
      ofFile
        .filter((test) => test.meta().reached?.includes(id))
        .sort((a, b) => durationOf(a) - durationOf(b))
        .map((test, place) => ({ test, place })),
    );
    let spent = 0;
    for (const { test } of reaching.sort((a, b) => a.place - b.place)) {
      if (spent + durationOf(test) > limit) continue;
      spent += durationOf(test);
      const attempt = `${test.id} ${id}`;
      if (!tried.has(attempt)) plan.set(test.id, [...(plan.get(test.id) ?? []), id]);
      tried.add(attempt);
    }
  }
  return Object.fromEntries(plan);
}

const folder = mkdtempSync(join(temporaryRoot, 'mutants-'));
const planFile = join(folder, 'plan.json');
// Fewer runs of a property are enough for most mutants.
const settings = { TEST_SCALE: '0.3', TMPDIR: temporaryRoot };
for (const { include, limits } of rounds) {
  const results = await run(include, { env: settings, bail: 0 });
  const failed = results.filter((test) => test.result().state === 'failed');
  // They cannot try any mutant.
  for (const { fullName } of failed) print(`The test fails without a change: ${fullName}`);
  for (const test of results) for (const id of test.meta().reached ?? []) reached.add(id);
  for (const limit of limits) {
    const plan = planOf(results, limit);
    writeFileSync(planFile, JSON.stringify(plan));
    const planned = results.filter(({ id }) => id in plan);
    const files = [...new Set(planned.map(({ module }) => module.moduleId))];
    if (files.length === 0) continue;
    for (const test of await run(files, { env: { ...settings, MUTANT_PLAN: planFile }, bail: 0 }))
      for (const id of test.meta().killed ?? []) killed.add(id);
    const left = `${sample.length - killed.size} of ${sample.length}`;
    print(`${left} changes go unnoticed after ${limit} ms of ${include[0]} and so on`);
  }
}
rmSync(folder, { recursive: true });
// A change that takes effect during an import needs a run of its own.
for (const { id, file, isStatic } of sample) {
  if (!isStatic || killed.has(id)) continue;
  const testFolder = dirname(file).replace('src', 'test/unit');
  const results = await run([`${testFolder}/**/*.test.ts`], { env: { MUTANT: id }, bail: 1 });
  reached.add(id);
  if (results.some((test) => test.result().state === 'failed')) killed.add(id);
}
for (const { id, file, line, change } of sample.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
  if (killed.has(id)) continue;
  print(`${file}:${line} ${change}${reached.has(id) ? '' : ' (no effect in any test)'}`);
}
const score = ((100 * killed.size) / sample.length).toFixed(1);
print(
  `The tests notice ${killed.size} of ${sample.length} changes (${score} %), of ${all.length} possible ones`,
);
process.exit();
