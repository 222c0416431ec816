import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { FailureError } from '../http/failure.ts';

const run = promisify(execFile);
const timeLimit = 5_000;

// Reads an SVG image from stdin. librsvg loads no other files, and does not expand entities. The process ends by
// itself, because a build that is killed cannot end it.
const script = `
const [, sharp, limitInputPixels, timeLimit] = process.argv;
setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(timeLimit)).unref();
process.stdin.toArray()
  .then((chunks) =>
    require(sharp)(Buffer.concat(chunks), { limitInputPixels: Number(limitInputPixels) }).png().toBuffer())
  .then((png) => process.stdout.write(png), () => { process.exitCode = 1; });
`;

/**
 * Converts an SVG image to PNG, in its own size. This runs in a child process, because filters and nested
 * references in a small file can take minutes, and librsvg can be stopped only by ending its process.
 *
 * @throws {FailureError} when that fails
 */
export async function rasteriseSvg(
  svg: Uint8Array,
  { maxBytes, maxPixels }: { maxBytes: number; maxPixels: number },
): Promise<Uint8Array> {
  const sharp = createRequire(import.meta.url).resolve('sharp');
  const limits = [maxPixels, timeLimit].map(String);
  const conversion = run(process.execPath, ['-e', script, sharp, ...limits], {
    encoding: 'buffer',
    maxBuffer: maxBytes,
    killSignal: 'SIGKILL',
  });
  // The process may end before it has read everything.
  conversion.child.stdin?.on('error', () => undefined).end(svg);
  try {
    return (await conversion).stdout;
  } catch {
    throw new FailureError({
      code: 'refused',
      reason: `it is an SVG image that could not be converted to PNG within ${timeLimit} ms and the limits of \`images\``,
    });
  }
}
