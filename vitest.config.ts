import { defineConfig } from 'vitest/config';

// Vitest leaves one core idle by default.
const limits = { testTimeout: 60_000, hookTimeout: 120_000, maxWorkers: '100%' };
const longLimits = { testTimeout: 240_000, hookTimeout: 240_000 };

/** `npm test` runs the first two projects, `npm run test:full` all of them. */
export default defineConfig({
  test: {
    projects: [
      { test: { ...limits, name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      { test: { ...limits, name: 'load', include: ['test/load/**/*.test.ts'] } },
      {
        test: {
          ...longLimits,
          name: 'build',
          maxWorkers: 2,
          include: ['test/build/**/*.test.ts'],
          exclude: ['**/.site-*/**'],
        },
      },
      {
        test: {
          ...longLimits,
          name: 'browser',
          maxWorkers: 2,
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
