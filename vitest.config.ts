import { defineConfig } from 'vitest/config';

const waits = { testTimeout: 60_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...waits,
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/browser/**', '**/.site-*/**'],
        },
      },
      {
        test: {
          ...waits,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: 'test/browser/serve-playground.ts',
        },
      },
    ],
  },
});
