import { type ChildProcess, fork } from 'node:child_process';
import { extname, join } from 'node:path';
import pLimit from 'p-limit';
import { ArticlesError } from '../errors.ts';
import { FailureError } from '../http/failure.ts';
import type { ImageRefusal, VerifiedImage } from './verify-program.ts';

/** Milliseconds for one image, if the process does not end by itself. */
const hangLimit = 120_000;
/** Milliseconds that the process waits for another image before it ends. */
const idleLimit = 2_000;
/** Decoding an image may need 500 MB of memory, so one is decoded at a time. */
const oneByOne = pLimit(1);

let child: ChildProcess | undefined;
let settle: ((result: VerifiedImage | ImageRefusal) => void) | undefined;
let timer: NodeJS.Timeout | undefined;

/**
 * Verifies the bytes of a response, in another process, because a decoder can be stopped only by ending its process: a
 * JPEG of 20 MB can take an hour. The format is read from the bytes; the URL and `content-type` are ignored.
 *
 * @throws {FailureError} when the image cannot be used
 * @throws {ArticlesError} `sharp-missing`
 */
export async function verifyImage(bytes: Uint8Array): Promise<VerifiedImage> {
  const result = await oneByOne(decodeImage, bytes);
  if ('extension' in result) return result;
  const { code, reason } = result;
  if (code !== 'sharp-missing') throw new FailureError({ code, reason });
  const message = 'The package sharp, which verifies images, could not be loaded.';
  const hint =
    "Install it: `npm install sharp`, or `pnpm add sharp`. Or set `images.covers: 'remote'`.";
  throw new ArticlesError(code, message, { cause: new Error(reason), hint });
}

async function decodeImage(bytes: Uint8Array): Promise<VerifiedImage | ImageRefusal> {
  clearTimeout(timer);
  child ??= startProgram();
  const running = child;
  const { promise, resolve } = Promise.withResolvers<VerifiedImage | ImageRefusal>();
  settle = resolve;
  timer = setTimeout(stopProgram, hangLimit, running);
  // A process that has ended receives nothing, and reports its end.
  running.send(bytes, () => undefined);
  const result = await promise;
  clearTimeout(timer);
  timer = setTimeout(stopProgram, idleLimit, running).unref();
  return result;
}

function startProgram(): ChildProcess {
  // A bundle has no path of its own. It never verifies images, so the path is read here, and not on import.
  const extension = extname(import.meta.filename);
  const program = join(import.meta.dirname, `verify-program${extension}`);
  // This variable names the libraries of sharp on some systems, such as NixOS. Any other variable may contain an API key.
  // Node adds the variables of its channel, and on Windows the variables of the system.
  const { LD_LIBRARY_PATH } = process.env;
  const started = fork(program, {
    env: { LD_LIBRARY_PATH },
    serialization: 'advanced',
    // Node 22.13 runs TypeScript, as in the tests of this package, only with this option.
    execArgv: extension === '.ts' ? ['--experimental-strip-types'] : [],
    stdio: 'ignore',
  });
  started.on('message', (result: VerifiedImage | ImageRefusal) => settle?.(result));
  started.on('error', () => stopProgram(started)).on('exit', () => stopProgram(started));
  // It does not delay the end of this process, with which it ends.
  started.unref();
  started.channel?.unref();
  return started;
}

/** Ends a process, and refuses the image that it decodes. */
function stopProgram(running: ChildProcess): void {
  if (child !== running) return;
  child = undefined;
  running.kill('SIGKILL');
  settle?.({ code: 'refused', reason: 'decoding it failed, or took more than 5 s' });
}
