import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isLong } from './test/helpers/runs.ts';
import { temporaryRoot } from './test/helpers/temporary-root.ts';

// These end a test that hangs. A busy machine needs minutes for some.
const limits = (ms: number) => ({ testTimeout: ms, hookTimeout: ms });
const longLimits = limits(600_000);
// Tests wait a third of their time, for timers and processes. A second, the limit of `expect.poll()`, is short on a busy machine.
const shared = {
  ...limits(60_000),
  maxWorkers: availableParallelism() + 1,
  // In this zone, local time is never that of UTC.
  env: { TMPDIR: temporaryRoot, TZ: 'Pacific/Marquesas' },
  expect: { poll: { timeout: 20_000 } },
};
const draws = 'test/helpers/steady-draws.ts';
const setupFiles = ['test/helpers/steady-date.ts', draws];
// Modules without sharp, and modules in a site, would stay for the other tests of a worker.
const mocks = ['images/missing-sharp', 'content/get-articles', 'content/page-path'];
const testsWithMocks = mocks.map((name) => `test/unit/${name}.test.ts`);
const lighthouse = 'test/browser/playground/lighthouse.test.ts';
// Builds and browsers leave a core idle a third of the time.
const builds = 4;

/** Starts the simulated world first, because it takes longest, and would otherwise end alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ project }: TestSpecification) => project.name === 'simulation';
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

/** `npm test` runs the first three projects, `npm run test:full` the others. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          setupFiles,
          isolate: false,
          include: ['test/unit/**/*.test.ts', 'test/repository/*.test.ts'],
          exclude: testsWithMocks,
        },
      },
      { test: { ...shared, name: 'mocks', include: testsWithMocks } },
      {
        test: {
          ...shared,
          ...limits(120_000),
          name: 'load',
          setupFiles,
          isolate: false,
          include: ['test/load/**/*.test.ts'],
        },
      },
      {
        test: {
          ...longLimits,
          name: 'simulation',
          maxWorkers: builds,
          // A failing story is shortened.
          testTimeout: 3_600_000,
          include: ['test/simulation/*.test.ts'],
        },
      },
      {
        test: {
          ...longLimits,
          name: 'build',
          setupFiles: [draws],
          maxWorkers: builds,
          include: ['test/build/**/*.test.ts'],
          exclude: ['**/.site-*/**'],
        },
      },
      {
        test: {
          ...longLimits,
          name: 'browser',
          maxWorkers: builds,
          include: ['test/browser/*.test.ts'],
          exclude: ['**/.site-*/**'],
        },
      },
      {
        test: {
          ...longLimits,
          name: 'playground',
          maxWorkers: builds,
          include: ['test/browser/playground/*.test.ts'],
          exclude: [lighthouse],
          globalSetup: 'test/browser/playground/serve-playground.ts',
        },
      },
      {
        test: {
          ...longLimits,
          name: 'lighthouse',
          // After all others, and one by one, because it measures time.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          // Only with `TEST_SCALE`: time says little beside other work.
          include: isLong ? [lighthouse] : [],
          globalSetup: 'test/browser/playground/serve-playground.ts',
        },
      },
    ],
  },
});
