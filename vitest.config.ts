import { defineConfig } from 'vitest/config';

// Vitest leaves one core idle by default.
const limits = { testTimeout: 60_000, hookTimeout: 120_000, maxWorkers: '100%' };
// The process that decodes images, without sharp in this test, would stay for the other tests of a worker.
const withoutSharp = ['test/unit/images/missing-sharp.test.ts'];
const longLimits = { testTimeout: 240_000, hookTimeout: 240_000 };
// Builds and browsers leave a core idle a third of the time.
const builds = 3;

/** `npm test` runs the first three projects, `npm run test:full` the others. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...limits,
          name: 'unit',
          isolate: false,
          include: ['test/unit/**/*.test.ts', 'test/repository/*.test.ts'],
          exclude: withoutSharp,
        },
      },
      { test: { ...limits, name: 'mocks', include: withoutSharp } },
      { test: { ...limits, name: 'load', isolate: false, include: ['test/load/**/*.test.ts'] } },
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
          // After all others, and one by one, because Lighthouse measures time.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          include: ['test/browser/playground/*.test.ts'],
          globalSetup: 'test/browser/playground/serve-playground.ts',
        },
      },
    ],
  },
});
