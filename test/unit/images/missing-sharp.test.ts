import { expect, test, vi } from 'vitest';
import { verifyImage } from '../../../src/images/verify.ts';

vi.mock('sharp', () => {
  throw new Error("Cannot find package 'sharp'");
});

test('if sharp cannot be loaded, the error names the package to install', async () => {
  const limits = { svg: false, maxBytes: 1000, maxPixels: 1000 };
  await expect(verifyImage(Buffer.from('GIF89a'), limits)).rejects.toMatchObject({
    code: 'sharp-missing',
    hint: expect.stringContaining('`pnpm add sharp`'),
    cause: expect.any(Error),
  });
});
