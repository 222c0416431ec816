import type * as processes from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { verifyImage } from '../../../src/images/verify.ts';
import { gifOf } from './image-bytes.ts';

const hook = `data:text/javascript,${encodeURIComponent(`import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (name === 'sharp') throw new Error('no sharp');
      return next(name, context);
    },
  });`)}`;

vi.mock('node:child_process', async (importOriginal) => {
  const original = await importOriginal<typeof processes>();
  const fork = (program: string, options: processes.ForkOptions) =>
    original.fork(program, {
      ...options,
      execArgv: [...(options.execArgv ?? []), `--import=${hook}`],
    });
  return { ...original, fork };
});

test('if sharp cannot be loaded, the error names the package to install', async () => {
  await expect(verifyImage(gifOf(1))).rejects.toMatchObject({
    code: 'sharp-missing',
    hint: expect.stringContaining('`pnpm add sharp`'),
    cause: { message: 'Error: no sharp' },
  });
});
