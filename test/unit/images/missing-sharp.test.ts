import { expect, test, vi } from 'vitest';
import { verifyImage } from '../../../src/images/verify.ts';
import { gifOf } from './image-bytes.ts';

test('if sharp cannot be loaded, the error names the package to install', async () => {
  const program = `import { registerHooks } from 'node:module';
    registerHooks({
      resolve(name, context, next) {
        if (name === 'sharp') throw new Error('no sharp');
        return next(name, context);
      },
    });`;
  const hook = `data:text/javascript,${encodeURIComponent(program)}`;
  vi.stubEnv('NODE_OPTIONS', `--import=${hook}`);
  await expect(verifyImage(gifOf(1))).rejects.toMatchObject({
    code: 'sharp-missing',
    hint: expect.stringContaining('`pnpm add sharp`'),
    cause: { message: 'Error: no sharp' },
  });
});
