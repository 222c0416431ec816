import { defineConfig } from 'vitest/config';
export default defineConfig({ root: '/work/main', test: { testTimeout: 240000, hookTimeout: 240000, include: ['test/browser/{hostile,soup}.test.ts'] } });
