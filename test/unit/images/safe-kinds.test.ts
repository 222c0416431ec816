import { expect, it } from 'vitest';
import { safeKinds } from '../../../src/images/safe-kinds.ts';

it.each([
  ['0.9.0', false],
  ['0.34.5', false],
  ['0.35.3', false],
  ['0.35.4', true],
  ['0.35.10', true],
  ['0.36.0', true],
  ['1.0.0', true],
  [undefined, true],
])('with sharp %s in Astro, AVIF and GIF are accepted: %s', (version, isSafe) => {
  const always = ['webp', 'png', 'jpg'];
  expect(safeKinds(version)).toEqual(isSafe ? ['avif', ...always, 'gif'] : always);
});
