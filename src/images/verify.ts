import { type ChildProcess, fork } from 'node:child_process';
import { extname, join } from 'node:path';
import pLimit from 'p-limit';
import { ArticlesError } from '../errors.ts';
import { FailureError } from '../http/failure.ts';
import type { Refusal, VerifiedImage } from './verify-program.ts';

/** Milliseconds for one image, if the process does not end by itself. */
const hangLimit = 120_000;
/** Milliseconds that the process waits for another image before it ends. */
const idleLimit = 2_000;
/** Decoding an image may need 500 MB of memory, so one is decoded at a time. */
const oneByOne = pLimit(1);

let child: ChildProcess | undefined;
let settle: ((result: VerifiedImage | Refusal) => void) | undefined;
let timer: NodeJS.Timeout | undefined;

/**
 * Verifies the bytes of a response, in another process, because a decoder can be stopped only by ending its process: a
 * JPEG of 20 MB can take an hour. The format is that of the bytes, regardless of the URL and `content-type`.
 *
 * @throws {FailureError} when the image cannot be used
 * @throws {ArticlesError} `sharp-missing`
 */
export async function verifyImage(bytes: Uint8Array): Promise<VerifiedImage> {
  const result = await oneByOne(decode, bytes);
  if ('extension' in result) return result;
  const { code, reason } = result;
  if (code !== 'sharp-missing') throw new FailureError({ code, reason });
  const message = 'The package sharp, which verifies images, could not be loaded.';
  const hint =
    "Install it: `npm install sharp`, or `pnpm add sharp`. Or set `images.covers: 'remote'`.";
  throw new ArticlesError(code, message, { cause: new Error(reason), hint });
}

async function decode(bytes: Uint8Array): Promise<VerifiedImage | Refusal> {
  clearTimeout(timer);
  child ??= start();
  const running = child;
  const { promise, resolve } = Promise.withResolvers<VerifiedImage | Refusal>();
  settle = resolve;
  timer = setTimeout(stop, hangLimit, running);
  // A process that has ended receives nothing, and reports its end.
  running.send(bytes, () => undefined);
  const result = await promise;
  clearTimeout(timer);
  timer = setTimeout(stop, idleLimit, running).unref();
  return result;
}

function start(): ChildProcess {
  // A bundle has no path of its own. It never verifies images, so the path is read here, and not on import.
  const extension = extname(import.meta.filename);
  const program = join(import.meta.dirname, `verify-program${extension}`);
  // Any other variable may contain an API key. Some systems, such as NixOS, name the libraries of sharp in this one. Node
  // adds those of its channel, and on Windows those of the system.
  const { LD_LIBRARY_PATH } = process.env;
  const started = fork(program, {
    env: { LD_LIBRARY_PATH },
    serialization: 'advanced',
    // Node 22.13 runs TypeScript, as in the tests of this package, only with this option.
    execArgv: extension === '.ts' ? ['--experimental-strip-types'] : [],
    stdio: 'ignore',
  });
  started.on('message', (result: VerifiedImage | Refusal) => settle?.(result));
  started.on('error', () => stop(started)).on('exit', () => stop(started));
  // It does not delay the end of this process, with which it ends.
  started.unref();
  started.channel?.unref();
  return started;
}

/** Ends a process, and refuses the image that it decodes. */
function stop(running: ChildProcess): void {
  if (child !== running) return;
  child = undefined;
  running.kill('SIGKILL');
  settle?.({ code: 'refused', reason: 'decoding it failed, or took more than 5 s' });
}
