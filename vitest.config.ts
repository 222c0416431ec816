import { defineConfig } from 'vitest/config';

const limits = { testTimeout: 60_000, hookTimeout: 120_000 };

/** `npm test` runs the first two projects, `npm run test:full` all of them. */
export default defineConfig({
  test: {
    // Vitest leaves one core idle by default.
    maxWorkers: '100%',
    projects: [
      { test: { ...limits, name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      { test: { ...limits, name: 'load', include: ['test/load/**/*.test.ts'] } },
      {
        test: {
          testTimeout: 240_000,
          hookTimeout: 240_000,
          name: 'build',
          include: ['test/build/**/*.test.ts'],
          exclude: ['**/.site-*/**'],
        },
      },
      {
        test: {
          testTimeout: 240_000,
          hookTimeout: 240_000,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: 'test/browser/serve-playground.ts',
        },
      },
    ],
  },
});
